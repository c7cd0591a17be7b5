{-# LANGUAGE ExistentialQuantification #-}

-- | The operations of libraries on values of a type.
module Lane.Coder
  ( Coder (..)
  , AnyCoder (..)
  , json
  , messagePack
  ) where

import Control.DeepSeq (NFData)
import Control.Exception (displayException)
import Data.Aeson (FromJSON, ToJSON)
import qualified Data.Aeson as Aeson
import Data.Bifunctor (first)
import Data.ByteString (ByteString)
import qualified Data.ByteString.Lazy as Lazy
import Lane.Digest (Plain)
import Lane.Plain (ToPlain, toPlain)
import Manywire.MessagePack (FromMessagePack, ToMessagePack)
import qualified Manywire.MessagePack as MessagePack

-- | The operations of a library, of which the first two are timed.
data Coder value = Coder
  { decode :: ByteString -> Either String value
  , encode :: value -> Lazy.ByteString
  , plain :: value -> Either String Plain
  }

-- | The operations of a library for values of some type.
data AnyCoder = forall value. NFData value => AnyCoder (Coder value)

-- | aeson.
json :: (FromJSON value, ToJSON value, ToPlain value) => Coder value
json = Coder {decode = Aeson.eitherDecodeStrict', encode = Aeson.encode, plain = toPlain}

-- | manywire-hs.
messagePack :: (FromMessagePack value, ToMessagePack value, ToPlain value) => Coder value
messagePack = Coder {decode = first displayException . MessagePack.decode, encode = MessagePack.encode, plain = toPlain}

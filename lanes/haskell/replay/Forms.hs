{-# LANGUAGE ExistentialQuantification #-}

-- | The forms that the replay compares.
module Forms
  ( Form (..)
  , forms
  , pickle
  , checked
  ) where

import qualified Data.Aeson as Aeson
import Data.ByteString (ByteString)
import qualified Data.ByteString.Lazy as Lazy
import qualified Manywire.MessagePack as MessagePack
import Record (Record, Row (..), example)

-- | A form of the record: its name, and how it is written and read.
data Form = Form
  { name :: String
  , encode :: Record -> Lazy.ByteString
  , decode :: ByteString -> Record
  }

forms :: [Form]
forms =
  [ Form "JSON, aeson" Aeson.encode (either error id . Aeson.eitherDecodeStrict')
  , Form "MessagePack maps, manywire-hs" MessagePack.encode (either (error . show) id . MessagePack.decode)
  , Form "MessagePack arrays, manywire-hs" (MessagePack.encode . Row) (either (error . show) rowRecord . MessagePack.decode)
  ]

-- | Writes a record, and reads what was written.
pickle :: Form -> Record -> Record
pickle form = decode form . Lazy.toStrict . encode form

-- | Checks that a form keeps the record. Returns the size of its bytes.
checked :: Form -> Int
checked form
  | pickle form example == example = fromIntegral (Lazy.length (encode form example))
  | otherwise = error (name form <> " does not keep the record")

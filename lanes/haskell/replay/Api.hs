{-# LANGUAGE DataKinds #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE MultiParamTypeClasses #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeOperators #-}

-- | A service by servant that offers the record as JSON and as MessagePack, and reads both. servant chooses
-- by @Accept@, answers 406 if it allows neither, and 415 for a body of another type.
module Api (application) where

import Control.Exception (displayException)
import Data.Bifunctor (first)
import qualified Data.ByteString.Lazy as Lazy
import Data.List.NonEmpty (NonEmpty (..))
import qualified Manywire.MessagePack as MessagePack
import Network.HTTP.Media ((//))
import Record (Record, example)
import Servant

-- | The media type of MessagePack, and the names that were usual before it was registered.
data MessagePack

instance Accept MessagePack where
  contentTypes _ = "application" // "vnd.msgpack" :| ["application" // "msgpack", "application" // "x-msgpack"]

instance MessagePack.ToMessagePack a => MimeRender MessagePack a where
  mimeRender _ = MessagePack.encode

instance MessagePack.FromMessagePack a => MimeUnrender MessagePack a where
  mimeUnrender _ = first displayException . MessagePack.decode . Lazy.toStrict

type Api =
  "record" :> Get '[JSON, MessagePack] Record
    :<|> "record" :> ReqBody '[JSON, MessagePack] Record :> Post '[JSON, MessagePack] Record

-- | Returns the example, or the record of a request in the form that the client accepts.
application :: Application
application = serve (Proxy :: Proxy Api) (pure example :<|> pure)

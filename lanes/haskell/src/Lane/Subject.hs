{-# LANGUAGE CPP #-}
{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Subjects: the combinations of library, format and kind of value that the lane measures.
module Lane.Subject
  ( Subject (..)
  , subjects
  , Loaded
  , load
  , loadedCount
  , digests
  , encoded
  , Operation (..)
  , operations
  , represent
  , decodeAll
  ) where

import Control.DeepSeq (NFData, rnf)
import Control.Exception (Exception, displayException, evaluate, throw, throwIO)
import qualified Data.Aeson as Aeson
import Data.ByteString (ByteString)
import qualified Data.ByteString.Lazy as Lazy
import Data.Text (Text)
import Data.Vector (Vector)
import qualified Data.Vector as Vector
import Lane.Coder
import qualified Lane.Coding as Coding
import Lane.Digest (digest)
import Lane.Meter (operation)
import Lane.Schema (Schema (..))
import Lane.Typed (Typed (..), typed)
import qualified Manywire.MessagePack as MessagePack

-- | A row of the table.
data Subject = Subject
  { library :: Text
  , version :: Text
  , format :: Text
  , target :: Text
  , prepare :: Schema -> Either String AnyCoder
    -- ^ returns the coder for payloads with a schema, or the reason why there is none
  }

-- | The subjects of @lane.toml@. Those of typed values come last.
subjects :: [Subject]
subjects =
  [ aeson "dynamic" (const (Right (AnyCoder (json :: Coder Aeson.Value))))
  , messagePackOf "msgpack" "dynamic" (const (Right (AnyCoder (messagePack :: Coder MessagePack.Value))))
  , aeson "typed" (const (typedJson <$> types))
  , messagePackOf "msgpack" "typed" (const (typedMap <$> types))
  , messagePackOf "msgpack-array" "typed" $ \schema ->
      if hasRecordInUnion schema
        then Left "a union has a record, and in an array nothing says which fields it has"
        else typedArray <$> types
  ]
  where
    aeson = Subject "aeson" VERSION_aeson "json"
    messagePackOf = Subject "manywire-hs" "0.1.0"
    types = maybe (Left "the lane was built without types of the payloads") Right typed

-- | A subject's payloads, as bytes and as values.
data Loaded = forall value. NFData value => Loaded (Coder value) (Vector ByteString) (Vector value)

-- | The error of a subject that does not read some bytes.
newtype Unreadable = Unreadable String
  deriving (Show)

instance Exception Unreadable where
  displayException (Unreadable reason) = reason

-- | Decodes payloads that have a schema.
load :: Schema -> Subject -> [ByteString] -> IO Loaded
load schema subject payloads = case prepare subject schema of
  Left reason -> throwIO (Unreadable reason)
  Right (AnyCoder by) -> do
    values <- traverse (evaluate . complete by) bytes
    pure (Loaded by bytes values)
  where
    bytes = Vector.fromList payloads

-- | Decodes bytes to a value in normal form.
complete :: NFData value => Coder value -> ByteString -> value
complete by bytes = case decode by bytes of
  Right value -> rnf value `seq` value
  Left reason -> throw (Unreadable reason)

loadedCount :: Loaded -> Int
loadedCount (Loaded _ bytes _) = Vector.length bytes

-- | The digest of each value, or the reason why one has none.
digests :: Loaded -> Either String [Text]
digests (Loaded by _ values) = traverse (fmap digest . plain by) (Vector.toList values)

-- | The bytes that the library writes for each value.
encoded :: Loaded -> [Lazy.ByteString]
encoded (Loaded by _ values) = map (encode by) (Vector.toList values)

data Operation = Encode | Decode

-- | Returns an action for each payload, which does an operation completely: encoding produces all bytes,
-- decoding a value in normal form.
operations :: Loaded -> Operation -> Maybe Coding.Level -> IO (Vector (IO ()))
operations (Loaded by _ values) Encode coding =
  pure (operation (rnf . maybe id Coding.deflate coding . encode by) <$> values)
operations (Loaded by bytes _) Decode Nothing = pure (operation (rnf . complete by) <$> bytes)
operations (Loaded by bytes _) Decode (Just coding) = do
  packed <- traverse (\payload -> let done = Coding.deflate coding (Lazy.fromStrict payload) in done <$ evaluate (rnf done)) bytes
  pure (operation (rnf . complete by . Lazy.toStrict . Coding.inflate) <$> packed)

-- | Encodes the value of a payload, and compresses it.
represent :: Loaded -> Maybe Coding.Level -> Int -> Lazy.ByteString
represent (Loaded by _ values) coding index = maybe id Coding.deflate coding (encode by (values Vector.! index))

-- | Decodes bytes to a value in normal form, and drops it.
decodeAll :: Loaded -> ByteString -> IO ()
decodeAll (Loaded by _ _) = evaluate . rnf . complete by

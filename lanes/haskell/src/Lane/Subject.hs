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
import Control.Exception (Exception, displayException, evaluate, throw)
import qualified Data.Aeson as Aeson
import qualified Data.Aeson.Key as Key
import qualified Data.Aeson.KeyMap as KeyMap
import Data.Bifunctor (first)
import Data.ByteString (ByteString)
import qualified Data.ByteString.Lazy as Lazy
import Data.Scientific (Scientific)
import qualified Data.Scientific as Scientific
import Data.Text (Text)
import qualified Data.Text as Text
import Data.Vector (Vector)
import qualified Data.Vector as Vector
import GHC.Float (float2Double)
import qualified Lane.Coding as Coding
import Lane.Digest (Plain (..), digest)
import Lane.Meter (operation)
import qualified Manywire.MessagePack as MessagePack

-- | A row of the table.
data Subject = forall value. NFData value => Subject
  { library :: Text
  , version :: Text
  , format :: Text
  , coder :: Coder value
  }

-- | The operations of a library, which are timed.
data Coder value = Coder
  { decode :: ByteString -> Either String value
  , encode :: value -> Lazy.ByteString
  , plain :: value -> Either String Plain
  }

-- | The subjects in the order of @lane.toml@. All have dynamic values.
subjects :: [Subject]
subjects =
  [ Subject
      { library = "aeson"
      , version = VERSION_aeson
      , format = "json"
      , coder = Coder {decode = Aeson.eitherDecodeStrict', encode = Aeson.encode, plain = Right . fromJson}
      }
  , Subject
      { library = "manywire-hs"
      , version = "0.1.0"
      , format = "msgpack"
      , coder = Coder {decode = first displayException . MessagePack.decode, encode = MessagePack.encode, plain = fromMessagePack}
      }
  ]

-- | A subject's payloads, as bytes and as values.
data Loaded = forall value. NFData value => Loaded (Coder value) (Vector ByteString) (Vector value)

-- | The error of a library that does not read some bytes.
newtype Unreadable = Unreadable String
  deriving (Show)

instance Exception Unreadable where
  displayException (Unreadable reason) = reason

-- | Decodes payloads.
load :: Subject -> [ByteString] -> IO Loaded
load Subject {coder = by} payloads = do
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

fromJson :: Aeson.Value -> Plain
fromJson Aeson.Null = Null
fromJson (Aeson.Bool true) = Bool true
fromJson (Aeson.Number number) = fromScientific number
fromJson (Aeson.String content) = Text content
fromJson (Aeson.Array items) = Array (map fromJson (Vector.toList items))
fromJson (Aeson.Object entries) = Map [(Key.toText key, fromJson item) | (key, item) <- KeyMap.toList entries]

-- | Numbers of any exponent, without expanding their digits.
fromScientific :: Scientific -> Plain
fromScientific number
  | Scientific.base10Exponent number > digitsMax = Real (Scientific.toRealFloat number)
  | otherwise = either Real Whole (Scientific.floatingOrInteger number)
  where
    -- With so many digits, it is beyond 64 bits.
    digitsMax = 20

fromMessagePack :: MessagePack.Value -> Either String Plain
fromMessagePack value = case value of
  MessagePack.Nil -> Right Null
  MessagePack.Bool true -> Right (Bool true)
  MessagePack.Int number -> Right (Whole (toInteger number))
  MessagePack.Word number -> Right (Whole (toInteger number))
  MessagePack.Float number -> Right (Real (float2Double number))
  MessagePack.Double number -> Right (Real number)
  MessagePack.Text content -> Right (Text content)
  MessagePack.Binary content -> Right (Bytes content)
  MessagePack.Array items -> Array <$> traverse fromMessagePack (Vector.toList items)
  MessagePack.Map entries -> Map <$> traverse entry (Vector.toList entries)
  MessagePack.Time at -> Right (Time (MessagePack.timestampSeconds at) (MessagePack.timestampNanoseconds at))
  MessagePack.Extension kind _ -> Left ("an extension of type " <> show kind <> " has no digest")
  where
    entry (key, item) = (,) <$> name key <*> fromMessagePack item
    name key = case key of
      MessagePack.Text content -> Right content
      MessagePack.Bool true -> Right (if true then "true" else "false")
      MessagePack.Int number -> Right (Text.pack (show number))
      MessagePack.Word number -> Right (Text.pack (show number))
      _ -> Left "a key that is neither text, nor an integer, nor a boolean has no digest"

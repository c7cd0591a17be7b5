{-# LANGUAGE OverloadedStrings #-}

-- | Requests of the orchestrator.
module Lane.Request
  ( Request (..)
  , Offer (..)
  , Fetch (..)
  , parseObject
  , following
  , parseRequest
  ) where

import Data.Aeson (FromJSON (..), Object, Value (..), eitherDecodeStrict', withObject, (.!=), (.:), (.:?))
import Data.Aeson.Types (Parser, parseEither)
import Data.ByteString (ByteString)
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import qualified Data.Text as Text
import qualified Lane.Coding as Coding
import Lane.Schema (Schema, noSchema)
import Lane.Subject (Operation (..))

data Request
  = Describe
  | Schema Schema
  | Load Int
  | Digest Int
  | Encoded Int
  | Run Int Operation (Maybe Coding.Level) [Int] Int
  | Memory Int Operation
  | Serve [Offer]
  | Served
  | FetchFrom Int Fetch

data Offer = Offer {offerSubject :: Int, mediaType :: Text}

instance FromJSON Offer where
  parseJSON = withObject "an offer" $ \offer -> Offer <$> offer .: "subject" <*> offer .: "media_type"

-- | The arguments of the verb @fetch@, whose members have the same names in the contract.
data Fetch = Fetch
  { url :: Text
  , nonce :: Maybe Text
  , headers :: [(Text, Text)]
  , decodes :: Bool
  , connections :: Int
  , rate :: Maybe Double -- ^ per second
  , requestsMax :: Int
  , durationMs :: Double
  , timeoutMs :: Double
  }

-- | Parses the JSON object of a request.
parseObject :: ByteString -> Either String Object
parseObject bytes = eitherDecodeStrict' bytes

-- | Returns the number of frames that follow a request.
following :: Object -> Either String Int
following = parseEither $ \request -> do
  verb <- request .:? "verb" .!= Null
  case verb of
    "schema" -> pure 1
    "load" -> do
      count <- request .: "payloads"
      if count < 0 || count > framesMax
        then fail ("payloads is " <> show count <> ", expected how many frames follow")
        else pure count
    -- Also a verb that is unknown or not text, which gets an error response.
    _ -> pure 0
  where
    framesMax = 4294967295 :: Int

-- | Parses a request. The error says what is invalid.
parseRequest :: Object -> Either String Request
parseRequest = parseEither $ \request -> do
  verb <- request .:? "verb" .!= ""
  let subject = request .: "subject"
      operation = request .: "operation" >>= parseOperation
  case verb :: Text of
    "describe" -> pure Describe
    "schema" -> Schema . fromMaybe noSchema <$> request .:? "model"
    "load" -> Load <$> subject
    "digest" -> Digest <$> subject
    "encode" -> Encoded <$> subject
    "run" ->
      Run <$> subject <*> operation <*> (request .:? "coding" >>= traverse parseCoding)
        <*> request .: "window"
        <*> (request .: "repeats" >>= atLeast 0 "repeats")
    "memory" -> Memory <$> subject <*> operation
    "serve" -> Serve <$> request .: "offers"
    "served" -> pure Served
    "fetch" -> FetchFrom <$> subject <*> parseFetch request
    _ -> fail ("unknown verb " <> show (Text.take 80 verb))

parseFetch :: Object -> Parser Fetch
parseFetch request =
  Fetch
    <$> request .: "url"
    <*> request .:? "nonce"
    <*> request .: "headers"
    <*> request .: "decode"
    <*> (request .: "connections" >>= atLeast 1 "connections")
    <*> (request .:? "rate" >>= traverse positive)
    <*> (request .: "requests" >>= atLeast 0 "requests")
    <*> request .: "duration_ms"
    <*> request .: "timeout_ms"
  where
    positive perSecond
      | perSecond > 0 = pure perSecond
      | otherwise = fail ("rate is " <> show perSecond <> ", expected more than 0")

parseOperation :: Text -> Parser Operation
parseOperation "encode" = pure Encode
parseOperation "decode" = pure Decode
parseOperation other = fail ("operation is " <> show (Text.take 80 other) <> ", expected encode or decode")

parseCoding :: Text -> Parser Coding.Level
parseCoding coding = case Coding.level (Text.unpack (Text.take 80 coding)) of
  Just level -> pure level
  Nothing -> fail ("coding is " <> show (Text.take 80 coding) <> ", expected gzip or gzip:0 to gzip:9")

atLeast :: Int -> String -> Int -> Parser Int
atLeast least name count
  | count >= least = pure count
  | otherwise = fail (name <> " is " <> show count <> ", expected at least " <> show least)

{-# LANGUAGE OverloadedStrings #-}

-- | The MessagePack library on vectors that others share: the suite of MANYWIRE_SUITES, which has every
-- encoding of a value, and Manywire's own vectors in MANYWIRE_VECTORS, which are written from the
-- specification and have the offset of every error.
module MessagePackSuites (spec) where

import Control.Monad (forM_, unless)
import Data.Aeson (FromJSON, Object, eitherDecodeFileStrict', (.:), (.:?))
import qualified Data.Aeson as Json
import qualified Data.Aeson.Key as Key
import qualified Data.Aeson.KeyMap as KeyMap
import Data.Aeson.Types (Parser, parseEither)
import Data.ByteString (ByteString)
import qualified Data.ByteString as Bytes
import Data.Char (isDigit, isHexDigit)
import Data.List (sort, sortOn)
import Data.Maybe (fromMaybe)
import qualified Data.Scientific as Scientific
import Data.Text (Text)
import qualified Data.Text as Text
import qualified Data.Vector as Vector
import GHC.Float (double2Float)
import Manywire.MessagePack
import System.Directory (listDirectory)
import System.Environment (lookupEnv)
import System.FilePath ((</>))
import Test.Hspec

spec :: Spec
spec = do
  it "agrees with the suite in every encoding" $ do
    set <- lookupEnv "MANYWIRE_SUITES"
    case set of
      Nothing -> pendingWith "skipped: no suites (MANYWIRE_SUITES is not set)"
      Just root -> do
        groups <- parsed (root </> "msgpack" </> "msgpack-test-suite.json") >>= either fail pure . parseEither suite
        sum (map (length . snd) groups) `shouldSatisfy` (>= 200)
        forM_ groups $ \(expected, encodings) -> forM_ encodings $ \bytes -> do
          unless (readsAs expected bytes) $
            expectationFailure (show bytes <> " should be " <> show expected <> ", found " <> show (decode bytes :: Either DecodeError Value))
          fmap encodeStrict (decode bytes :: Either DecodeError Value) `shouldSatisfy` either (const False) (`elem` encodings)
          forM_ [0 .. Bytes.length bytes - 1] $ \size ->
            (decode (Bytes.take size bytes) :: Either DecodeError Value) `shouldSatisfy` either ((== EndOfInput) . errorKind) (const False)

  it "agrees with Manywire's vectors, also in the offsets of errors" $ do
    set <- lookupEnv "MANYWIRE_VECTORS"
    case set of
      Nothing -> pendingWith "skipped: no vectors (MANYWIRE_VECTORS is not set)"
      Just root -> do
        files <- sort <$> listDirectory (root </> "msgpack")
        length files `shouldSatisfy` (>= 8)
        forM_ files $ \file -> do
          vectors <- parsed (root </> "msgpack" </> file) >>= either fail pure . parseEither vectorsOf
          length vectors `shouldSatisfy` (> 0)
          forM_ vectors $ \(title, bytes, outcome) -> case outcome of
            Left (kind, offset) ->
              (title, either (\failure -> Just (errorKind failure, errorOffset failure)) (const Nothing) (decodeWith limits bytes :: Either DecodeError Value))
                `shouldBe` (title, Just (kind, offset))
            Right (expected, isReadOnly) -> do
              -- As text, because NaN is not equal to itself.
              (title, show (sorted <$> decode bytes)) `shouldBe` (title, show (Right (sorted expected) :: Either DecodeError Value))
              unless isReadOnly $ (title, encodeStrict <$> (decode bytes :: Either DecodeError Value)) `shouldBe` (title, Right bytes)

-- | The limits of Manywire, which a vector exceeds.
limits :: Limits
limits = Limits {levelsMax = 128}

parsed :: FromJSON a => FilePath -> IO a
parsed path = eitherDecodeFileStrict' path >>= either fail pure

-- | A value of the suite.
data Expected = Exactly Value | Numerically Rational
  deriving (Show)

readsAs :: Expected -> ByteString -> Bool
readsAs (Exactly value) bytes = decode bytes == Right value
readsAs (Numerically number) bytes = case decode bytes of
  Right (Int found) -> toRational found == number
  Right (Word found) -> toRational found == number
  Right (Float found) -> toRational found == number
  Right (Double found) -> toRational found == number
  _ -> False

-- | The cases of all groups, each with its encodings.
suite :: Json.Value -> Parser [(Expected, [ByteString])]
suite = Json.withObject "the suite" (fmap concat . traverse (\group -> Json.parseJSON group >>= traverse suiteCase) . KeyMap.elems)

suiteCase :: Object -> Parser (Expected, [ByteString])
suiteCase members = do
  encodings <- members .: "msgpack"
  -- A number beyond 2^53 is also there as text, which comes first in the alphabet.
  expected <- case KeyMap.toAscList (KeyMap.delete "msgpack" members) of
    (kind, content) : _ -> suiteValue (Key.toText kind) content
    [] -> fail "expected a value"
  pure (expected, map hex encodings)

suiteValue :: Text -> Json.Value -> Parser Expected
suiteValue kind content = case kind of
  "number" -> Numerically . (toRational :: Scientific.Scientific -> Rational) <$> Json.parseJSON content
  "bignum" -> Numerically . fromInteger . read <$> Json.parseJSON content
  "binary" -> Exactly . Binary . hex <$> Json.parseJSON content
  "ext" -> (\(code, bytes) -> Exactly (Extension code (hex bytes))) <$> Json.parseJSON content
  "timestamp" -> do
    (seconds, nanoseconds) <- Json.parseJSON content
    maybe (fail "a timestamp") (pure . Exactly . Time) (timestamp seconds nanoseconds)
  _ -> Exactly <$> fromNotation content

-- | The vectors of a file.
vectorsOf :: Object -> Parser [(Text, ByteString, Either (ErrorKind, Int) (Value, Bool))]
vectorsOf file = file .: "vectors" >>= traverse vector

-- | A vector: its name, its bytes, and an error or a value, which may be one that is only read.
vector :: Object -> Parser (Text, ByteString, Either (ErrorKind, Int) (Value, Bool))
vector members = do
  title <- members .: "name"
  bytes <- hex <$> members .: "hex"
  failure <- members .:? "error"
  outcome <- case failure of
    Just category -> Left <$> ((,) <$> kindOf category <*> members .: "offset")
    Nothing -> Right <$> ((,) <$> (members .: "value" >>= fromNotation) <*> (fromMaybe False <$> members .:? "read_only"))
  pure (title, bytes, outcome)
  where
    kindOf :: Text -> Parser ErrorKind
    kindOf "eof" = pure EndOfInput
    kindOf "syntax" = pure InvalidBytes
    kindOf "limit" = pure LimitExceeded
    kindOf other = fail ("unknown category " <> Text.unpack other)

-- | Parses the notation of values in vectors/README.md.
fromNotation :: Json.Value -> Parser Value
fromNotation json = case json of
  Json.Null -> pure Nil
  Json.Bool content -> pure (Bool content)
  Json.String content -> pure (Text content)
  Json.Array items -> Array <$> traverse fromNotation items
  Json.Number number
    | Scientific.base10Exponent number /= 0 -> pure (Double (Scientific.toRealFloat number))
    | otherwise -> integer (Scientific.coefficient number)
  Json.Object members -> case KeyMap.toList members of
    [("$map", content)] -> Map . Vector.fromList <$> (Json.parseJSON content >>= traverse entry)
    [("$bytes", content)] -> Binary . hex <$> Json.parseJSON content
    [("$f32", content)] -> Float . double2Float <$> double content
    [("$f64", content)] -> Double <$> double content
    [("$timestamp", content)] -> do
      (seconds, nanoseconds) <- Json.parseJSON content
      maybe (fail "a timestamp") (pure . Time) (timestamp seconds nanoseconds)
    [("$ext", content)] -> flip (Json.withObject "an extension") content $ \extension -> do
      inner <- extension .: "content" >>= fromNotation
      case inner of
        Binary bytes -> Extension <$> extension .: "code" <*> pure bytes
        _ -> fail "expected bytes"
    _ | Just content <- KeyMap.lookup "$repeat" members -> do
      times <- members .: "times"
      inner <- fromNotation content
      case inner of
        Text text -> pure (Text (Text.replicate times text))
        Binary bytes -> pure (Binary (Bytes.concat (replicate times bytes)))
        Array items -> pure (Array (Vector.concat (replicate times items)))
        Map entries -> pure (Map (Vector.concat (replicate times entries)))
        _ -> fail "cannot repeat this"
    entries -> Map . Vector.fromList <$> traverse (\(key, item) -> (,) (Text (Key.toText key)) <$> fromNotation item) entries
  where
    entry (key, item) = (,) <$> fromNotation key <*> fromNotation item
    integer number
      | number >= 2 ^ (63 :: Int) = pure (Word (fromInteger number))
      | otherwise = pure (Int (fromInteger number))
    double (Json.String "NaN") = pure (0 / 0)
    double (Json.String "Infinity") = pure (1 / 0)
    double (Json.String "-Infinity") = pure (-1 / 0)
    double (Json.String "-0.0") = pure (-0.0)
    double other = Json.parseJSON other

-- | Sorts the entries of maps, and drops the sign of zero: the parser of the expected values keeps neither.
-- Writing the value again shows that both were read.
sorted :: Value -> Value
sorted (Float 0) = Float 0
sorted (Double 0) = Double 0
sorted (Array items) = Array (sorted <$> items)
sorted (Map entries) = Map (Vector.fromList (sortOn (show . fst) (Vector.toList (fmap sorted <$> entries))))
sorted value = value

-- | Parses hexadecimal digits; spaces and hyphens are ignored, and @(61)*256@ is @61@ 256 times.
hex :: Text -> ByteString
hex = Bytes.pack . go . Text.unpack
  where
    go (ignored : rest) | ignored `elem` (" -" :: String) = go rest
    go ('(' : rest)
      | (inner, ')' : '*' : behind) <- break (== ')') rest
      , (digits, following) <- span isDigit behind =
          concat (replicate (read digits) (go inner)) <> go following
    go (high : low : rest) | isHexDigit high && isHexDigit low = read ['0', 'x', high, low] : go rest
    go [] = []
    go other = error ("not hexadecimal: " <> other)

{-# LANGUAGE OverloadedStrings #-}

-- | The subjects of typed values, with the types of @sample@. MessagePack gets a sample that is written here, because
-- JSON has neither floats of 32 bits, nor points in time, nor bytes.
module Typed (spec) where

import Control.Monad (forM_)
import Data.Aeson (object, (.:), (.=))
import qualified Data.Aeson as Aeson
import qualified Data.Aeson.Key as Key
import qualified Data.Aeson.KeyMap as KeyMap
import Data.ByteString (ByteString)
import qualified Data.ByteString as Bytes
import qualified Data.ByteString.Char8 as Char8
import qualified Data.ByteString.Lazy as Lazy
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import qualified Data.Text as Text
import qualified Data.Vector as Vector
import qualified Expected
import Manywire.MessagePack (Value (..), encodeStrict, timestamp)
import Process
import Test.Hspec

spec :: Spec
spec = do
  it "are read and written by every subject" $ withTypes $ \lane -> do
    json <- sampleJson
    subjects <- typedSubjects lane
    map snd subjects `shouldBe` ["json", "msgpack", "msgpack-array"]
    forM_ subjects $ \(subject, format) -> do
      let payload = if format == "json" then json else written format sample
      digestOf lane subject payload `shouldReturn` Right (Expected.digest json)
      again <- encoded lane subject
      traverse (digestOf lane subject) again `shouldReturn` [Right (Expected.digest json)]
      forM_ ["encode", "decode"] $ \operation -> do
        let members = ["subject" .= subject, "operation" .= (operation :: Text)]
        bytes <- get (.: "alloc_bytes") lane (object (("verb" .= ("memory" :: Text)) : members)) []
        bytes `shouldSatisfy` (> (200 :: Double))

  it "are the same bytes in MessagePack: absent fields are left out of a map, and nil in an array" $
    withTypes $ \lane -> forM_ [sample, whole] $ \tree -> do
      expected <- digestOf lane dynamic (written "msgpack" tree)
      forMessagePack lane $ \subject format -> do
        digestOf lane subject (written format tree) `shouldReturn` expected
        encoded lane subject `shouldReturn` [written format tree]

  it "are read from maps in any order, with other entries, and without fields that may be null" $ withTypes $ \lane -> do
    (subject, _) <- (!! 1) <$> typedSubjects lane
    let other = Field "z" (Just (List [Entries [("q", Leaf Nil)]]))
        fields = other : reverse (filter ((/= "count") . fieldName) sample)
    expected <- digestOf lane dynamic (written "msgpack" (change "count" Nothing sample))
    digestOf lane subject (written "msgpack" fields) `shouldReturn` expected

  it "have all integers of their types, and no others" $ withTypes $ \lane ->
    forM_ integers $ \(field, least, greatest) -> do
      forM_ [least, greatest] $ \number -> do
        subjects <- typedSubjects lane
        json <- withMember field (Aeson.Number (fromInteger number)) <$> sampleJson
        forM_ subjects $ \(subject, format) ->
          digestOf lane subject (if format == "json" then json else written format (change field (Just (Leaf (integer number))) sample))
            `shouldReturn` Right (Expected.digest json)
      forM_ [least - 1, greatest + 1] $ \number -> do
        (subject, _) <- head <$> typedSubjects lane
        json <- withMember field (Aeson.Number (fromInteger number)) <$> sampleJson
        digestOf lane subject json >>= (`shouldSatisfy` isRefused)
        forMessagePack lane $ \packed format ->
          digestOf lane packed (written format (change field (Just (Leaf (integer number))) sample)) >>= (`shouldSatisfy` isRefused)

  it "are refused if a field has another type or is missing" $ withTypes $ \lane -> do
    (ofJson, _) <- head <$> typedSubjects lane
    json <- sampleJson
    forM_ (filter ((`notElem` ["any", "mixed", "none"]) . fieldName) whole) $ \(Field field _) -> do
      -- No field is a list of booleans.
      refused lane ofJson (withMember field (Aeson.toJSON [True]) json)
      forMessagePack lane $ \subject format -> forM_ others $ \other ->
        refused lane subject (written format (change field (Just other) whole))
    -- A float is no integer, also without a fraction.
    forMessagePack lane $ \subject format -> refused lane subject (written format (change "total" (Just (Leaf (Double 1))) sample))
    forM_ (filter (`notElem` optional) (map fieldName whole)) $ \field -> do
      refused lane ofJson (changed (KeyMap.delete (Key.fromText field)) json)
      forMessagePack lane $ \subject format ->
        refused lane subject (written format (if format == "msgpack" then change field Nothing sample else filter ((/= field) . fieldName) sample))
    forMessagePack lane $ \subject format ->
      digestOf lane subject (written format sample) >>= (`shouldSatisfy` not . isRefused)

  it "are refused if the bytes are a strict prefix, or nested deeply" $ withTypes $ \lane -> do
    json <- Char8.takeWhile (/= '\n') <$> sampleJson
    subjects <- typedSubjects lane
    forM_ subjects $ \(subject, format) -> do
      let payload = if format == "json" then json else written format whole
      forM_ [0 .. Bytes.length payload - 1] $ \size -> refused lane subject (Bytes.take size payload)
      forM_ (hostile format) (refused lane subject)
      digestOf lane subject payload >>= (`shouldSatisfy` not . isRefused)

  it "are no arrays if a union has a record, because nothing says which fields it has" $ withTypes $ \lane -> do
    let field kind of' = object ["kind" .= (kind :: Text), "of" .= (of' :: Maybe Text)]
        message form fields = object ["form" .= (form :: Text), "fields" .= (fields :: [Aeson.Value])]
        model part =
          object
            [ "messages"
                .= object
                  [ "Root" .= message "record" [field "message" (Just "Mixed")]
                  , "Mixed" .= message "union" [field "string" Nothing, field "message" (Just "Items")]
                  , "Items" .= message "wrapper" [field "message" (Just "Mixed"), part]
                  ]
            ]
        load' part format = do
          _ <- get pure lane (object ["verb" .= ("schema" :: Text), "model" .= model part]) [""]
          (subject, _) <- head . filter ((== format) . snd) <$> typedSubjects lane
          errorOf <$> ask lane (load subject 1) [written format sample]
    load' (field "bool" Nothing) "msgpack-array" `shouldReturn` Nothing
    load' (field "message" (Just "Root")) "msgpack" `shouldReturn` Nothing
    load' (field "message" (Just "Root")) "msgpack-array" >>= (`shouldSatisfy` maybe False ("nothing says which fields it has" `Text.isInfixOf`))

  it "cannot be loaded by a build without types" $ withLane $ \lane -> do
    subjects <- typedSubjects lane
    length subjects `shouldBe` 3
    forM_ subjects $ \(subject, _) -> digestOf lane subject "1" `shouldReturn` Left "the lane was built without types of the payloads"
  where
    refused lane subject payload = do
      found <- digestOf lane subject payload
      (Bytes.take 200 payload, found) `shouldSatisfy` isRefused . snd
    isRefused = either (not . Text.null) (const False)
    forMessagePack :: Lane -> (Int -> Text -> IO ()) -> IO ()
    forMessagePack lane act = typedSubjects lane >>= mapM_ (uncurry act) . drop 1

-- | The subject of dynamic values in MessagePack.
dynamic :: Int
dynamic = 1

-- | Loads a payload, and returns its digest or the error.
digestOf :: Lane -> Int -> ByteString -> IO (Either Text Text)
digestOf lane subject payload = do
  response <- ask lane (load subject 1) [payload]
  case errorOf response of
    Just reason -> pure (Left reason)
    Nothing -> Right . head <$> get (.: "digests") lane (object ["verb" .= ("digest" :: Text), "subject" .= subject]) []

sampleJson :: IO ByteString
sampleJson = Bytes.readFile "sample/sample.json"

changed :: (Aeson.Object -> Aeson.Object) -> ByteString -> ByteString
changed by json = Lazy.toStrict (Aeson.encode (by (fromMaybe mempty (Aeson.decodeStrict' json))))

withMember :: Text -> Aeson.Value -> ByteString -> ByteString
withMember field value = changed (KeyMap.insert (Key.fromText field) value)

-- | A value, of which the fields of records are known.
data Tree = Leaf Value | List [Tree] | Entries [(Text, Tree)] | Record [Field]

-- | A field, or 'Nothing' in place of its value if it is absent.
data Field = Field {fieldName :: Text, _value :: Maybe Tree}

-- | Returns the bytes of a record in a format.
written :: Text -> [Field] -> ByteString
written format = encodeStrict . packed . Record
  where
    packed tree = case tree of
      Leaf value -> value
      List items -> Array (Vector.fromList (map packed items))
      Entries entries -> Map (Vector.fromList [(Text name, packed item) | (name, item) <- entries])
      Record fields
        | format == "msgpack" -> packed (Entries [(name, item) | Field name (Just item) <- fields])
        | otherwise -> packed (List [fromMaybe (Leaf Nil) item | Field _ item <- fields])

change :: Text -> Maybe Tree -> [Field] -> [Field]
change name value fields = [if fieldName field == name then Field name value else field | field <- fields]

-- | The value of @sample.json@, in the order of its types.
sample :: [Field]
sample =
  [ field "id" (integer 18446744073709551615)
  , field "small" (Int (-128))
  , field "size" (Int 65535)
  , field "total" (Int minBound)
  , field "ratio" (Float 0.5)
  , field "real" (Double 1e300)
  , field "flag" (Bool True)
  , field "odd key" (Text "é😀")
  , Field "note" Nothing
  , field "count" (Int (-1))
  , Field "matrix" (Just (List [List [Leaf (Int 1), Leaf (Int (-2))], List [], List [Leaf (Int 9007199254740993)]]))
  , Field "place" (Just (place 1.25 (Just "x")))
  , Field "places" (Just (List [place (-0.5) (Just "")]))
  , Field "by" (Just (Entries [("k", place 2.5 Nothing)]))
  , Field "mixed" (Just (List [Leaf (Text "s"), Leaf (Int 7), Leaf Nil]))
  , Field "any" (Just (Entries [("a", List [Leaf (Double 0.5), Leaf (Bool True)])]))
  , Field "none" (Just (Record []))
  , Field "parser" (Just (parser 1 (parser 2 (Leaf Nil) (Just False)) Nothing))
  , Field "tree" (Just (List [List [], List [List []]]))
  , Field "omitNothingFields = True" (Just (Record [field "layout" (Bool True)]))
  , Field "at" Nothing
  , Field "data" Nothing
  ]
  where
    field name value = Field name (Just (Leaf value))
    place lat name = Record [field "lat" (Double lat), Field "name" (Leaf . Text <$> name)]
    parser number next skipped = Record [field "value" (Int number), Field "next" (Just next), Field "skipped" (Leaf . Bool <$> skipped)]

-- | The sample with values that JSON cannot represent.
whole :: [Field]
whole =
  change "at" (Leaf . Time <$> timestamp (-1) 999999999) $
    change "data" (Just (Leaf (Binary "\0\255"))) $
      change "note" (Just (Leaf (Text "n"))) sample

-- | Fields that may be absent from a map or null.
optional :: [Text]
optional = ["note", "count", "places", "omitNothingFields = True", "at", "data"]

-- | The fields of integers, and the limits of their types.
integers :: [(Text, Integer, Integer)]
integers =
  [ ("id", 0, 18446744073709551615)
  , ("small", -128, 127)
  , ("size", 0, 65535)
  , ("total", -9223372036854775808, 9223372036854775807)
  , ("count", -9223372036854775808, 9223372036854775807)
  ]

integer :: Integer -> Value
integer number
  | number > 18446744073709551615 || number < -9223372036854775808 = Double (fromInteger number)
  | number > 9223372036854775807 = Word (fromInteger number)
  | otherwise = Int (fromInteger number)

-- | Values that no field of the sample has, but those of any values and of a record without fields.
others :: [Tree]
others = [Leaf (Extension 5 "\0"), List [Leaf (Extension 5 "\0\0")], Entries [("layout", Leaf (Extension 5 "\0\0\0"))]]

-- | Bytes that are nested deeply, or have lengths beyond their end.
hostile :: Text -> [ByteString]
hostile format = case format of
  "json" -> [times "{\"parser\":{\"next\":" , times "{\"next\":", times "{\"any\":[", "{\"id\":1e999999999}", "{\"tree\":" <> times "["]
  "msgpack" ->
    ["\x81\xa6parser" <> times "\x82\xa5value\x01\xa4next", "\x81\xa3\&any" <> times "\x91", "\x81\xa4tree" <> times "\x91", "\x81\xa1z" <> times "\x81\xa1z"]
      <> map ("\x81\xa6matrix" <>) lengths
  _ -> [times "\x91", times "\xdc\0\x16", Bytes.concat (replicate 18 "\0") <> times "\x93\0"] <> lengths
  where
    times = Bytes.concat . replicate 100000
    lengths = ["\xdd\xff\xff\xff\xff", "\xdf\xff\xff\xff\xff", "\xdb\xff\xff\xff\xff", "\xc6\xff\xff\xff\xff", "\xc1"]

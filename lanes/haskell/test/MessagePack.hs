{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# OPTIONS_GHC -Wno-orphans #-}

-- | The MessagePack library: types, derivation, limits and errors. The bytes of every type are in
-- MessagePackSuites.
module MessagePack (spec) where

import Control.Monad (forM_)
import qualified Data.ByteString as Bytes
import qualified Data.ByteString.Lazy as Lazy
import Data.Char (toLower)
import Data.Int
import Data.Map.Strict (Map)
import Data.Text (Text)
import qualified Data.Text as Text
import Data.Time (UTCTime (..), fromGregorian, picosecondsToDiffTime)
import qualified Data.Vector as Vector
import Data.Word
import GHC.Generics (Generic)
import Manywire.MessagePack
import Test.Hspec
import Test.Hspec.QuickCheck (prop)
import Test.QuickCheck hiding (reason)

data Point = Point {x :: Int, y :: Maybe Int, label :: Text}
  deriving (Eq, Show, Generic)

instance ToMessagePack Point
instance FromMessagePack Point

data Cells = Cells {first :: Int, second :: Maybe Int, third :: [Text]}
  deriving (Eq, Show, Generic)

instance ToMessagePack Cells where
  toMessagePack = genericToMessagePack defaultOptions {recordLayout = AsArray}

instance FromMessagePack Cells where
  fromMessagePack = genericFromMessagePack defaultOptions {recordLayout = AsArray}

data Sparse = Sparse {sparseFirst :: Maybe Int, sparseWhole :: Int, sparseKept :: Maybe Int, sparseLast :: Maybe Text}
  deriving (Eq, Show, Generic)

sparse :: Options
sparse = defaultOptions {fieldLabelModifier = map toLower . drop 6, omitNothing = (/= "sparseKept")}

instance ToMessagePack Sparse where
  toMessagePack = genericToMessagePack sparse

instance FromMessagePack Sparse where
  fromMessagePack = genericFromMessagePack sparse

data Shape = Nothing' | Circle Double | Box Int Int | Named {name :: Text, inner :: [Shape]}
  deriving (Eq, Show, Generic)

instance ToMessagePack Shape where
  toMessagePack = genericToMessagePack defaultOptions {constructorTagModifier = filter (/= '\''), fieldLabelModifier = ('_' :)}

instance FromMessagePack Shape where
  fromMessagePack = genericFromMessagePack defaultOptions {constructorTagModifier = filter (/= '\''), fieldLabelModifier = ('_' :)}

instance Arbitrary Value where
  arbitrary = sized tree
    where
      tree size =
        oneof $
          [ pure Nil
          , Bool <$> arbitrary
          , Int <$> edge
          , Word <$> choose (0x8000000000000000, maxBound)
          , Float <$> arbitrary
          , Double <$> arbitrary
          , Text . Text.pack . filter (not . isSurrogate) <$> arbitrary
          , Binary . Bytes.pack <$> long
          , Extension <$> (arbitrary `suchThat` (/= -1)) <*> (Bytes.pack <$> long)
          , maybe Nil Time <$> (timestamp <$> edge <*> choose (0, 999999999))
          ]
            <> [Array . Vector.fromList <$> scaled (tree (size `div` 4)) | size > 0]
            <> [Map . Vector.fromList <$> scaled ((,) <$> tree (size `div` 4) <*> tree (size `div` 4)) | size > 0]
      scaled item = choose (0, 20) >>= \count -> vectorOf count item
      long = oneof [vectorOf count arbitrary | count <- [0, 1, 2, 3, 4, 8, 16, 17, 300]]
      -- Every width of an integer is as likely.
      edge = choose (0, 62) >>= \bits -> (`div` (2 ^ (bits :: Int))) <$> arbitraryBoundedIntegral
      isSurrogate c = c >= '\xd800' && c <= '\xdfff'

spec :: Spec
spec = do
  prop "reads the value that it wrote" $ \value ->
    let bytes = encodeStrict (value :: Value) in decode bytes === Right value .&&. decodeLazy (encode value) === Right value

  prop "refuses every strict prefix of a value" $ \value ->
    let bytes = encodeStrict (value :: Value)
     in forAll (choose (0, Bytes.length bytes - 1)) $ \size ->
          fmap errorKind (leftOf (decode (Bytes.take size bytes) :: Either DecodeError Value)) === Just EndOfInput

  prop "responds to any bytes" $ \(bytes :: [Word8]) ->
    case decode (Bytes.pack bytes) of
      Right value -> decode (encodeStrict (value :: Value)) `sameAs` value
      Left failure -> property (errorOffset failure >= 0 && errorOffset failure <= length bytes && not (null (errorReason failure)))

  it "reads chunks of lazy bytes, and values one after the other" $ do
    decodeLazy (Lazy.fromChunks ["\x93\x01", "", "\x02\xa1", "x"]) `shouldBe` Right (Array (Vector.fromList [Int 1, Int 2, Text "x"]))
    decodePrefix "\x01\xa1x" `shouldBe` Right (1 :: Int, "\xa1x")

  describe "derivation" $ do
    it "writes a record as a map, and reads its fields in any order" $ do
      encodeStrict (Point 1 (Just 2) "é") `shouldBe` "\x83\xa1x\x01\xa1y\x02\xa5label\xa2\xc3\xa9"
      decode "\x83\xa5label\xa0\xa1y\x02\xa1x\x01" `shouldBe` Right (Point 1 (Just 2) "")
      decode "\x83\xa1x\x01\xa1y\x02\xa5label\xa0" `shouldBe` Right (Point 1 (Just 2) "")
    it "ignores unknown entries, and takes the last of a repeated key" $
      decode "\x85\xa1x\x01\x05\x91\x81\xa1x\xc0\xa5label\xa0\xa1z\xd9\x01\&a\xa1x\x03" `shouldBe` Right (Point 3 Nothing "")
    it "names a missing field" $
      (decode "\x81\xa1x\x01" :: Either DecodeError Point)
        `shouldBe` Left (DecodeError UnexpectedValue 0 "the field label is missing")
    it "leaves fields out of a map, of those that it may" $ do
      encodeStrict (Sparse Nothing 1 Nothing Nothing) `shouldBe` "\x82\xa5whole\x01\xa4kept\xc0"
      encodeStrict (Sparse (Just 2) 1 (Just 3) (Just "")) `shouldBe` "\x84\xa5\&first\x02\xa5whole\x01\xa4kept\x03\xa4last\xa0"
      decode "\x82\xa5whole\x01\xa4kept\xc0" `shouldBe` Right (Sparse Nothing 1 Nothing Nothing)
    it "writes a record as an array" $ do
      encodeStrict (Cells 1 Nothing ["a"]) `shouldBe` "\x93\x01\xc0\x91\xa1\&a"
      decode "\x93\x01\xc0\x91\xa1\&a" `shouldBe` Right (Cells 1 Nothing ["a"])
      (decode "\x92\x01\xc0" :: Either DecodeError Cells)
        `shouldBe` Left (DecodeError UnexpectedValue 0 "expected an array of 3 items, found 2")
    it "writes constructors as serde does" $ do
      let shapes =
            [ (Nothing', "\xa7Nothing")
            , (Circle 1.5, "\x81\xa6\&Circle\xcb\x3f\xf8\0\0\0\0\0\0")
            , (Box 1 2, "\x81\xa3\&Box\x92\x01\x02")
            , (Named "n" [Nothing'], "\x81\xa5Named\x82\xa5_name\xa1n\xa6_inner\x91\xa7Nothing")
            ]
      forM_ shapes $ \(shape, bytes) -> do
        encodeStrict shape `shouldBe` bytes
        decode bytes `shouldBe` Right shape
      decode "\x81\xa7Nothing\xc0" `shouldBe` Right Nothing'
      forM_ ["\xa6\&Circle", "\xa5Round", "\x81\xa5Round\xc0", "\x82\xa3\&Box\x92\x01\x02\xa3\&Box\xc0", "\xc0", "\x81\x01\x02"] $ \bytes ->
        fmap errorKind (leftOf (decode bytes :: Either DecodeError Shape)) `shouldBe` Just UnexpectedValue
    prop "reads the tuples, maps and lists that it wrote" $ \(value :: ((Int, Bool), Map Word8 [Maybe Int16], Double)) ->
      decode (encodeStrict value) === Right value

  describe "numbers" $ do
    it "are refused if the type cannot represent them" $ do
      decode "\xcc\xff" `shouldBe` Right (255 :: Word8)
      reason (decode "\xcd\x01\0" :: Either DecodeError Word8) `shouldBe` Just "expected an integer from 0 to 255, found 256"
      reason (decode "\xff" :: Either DecodeError Word64) `shouldBe` Just "expected an integer from 0 to 18446744073709551615, found -1"
      reason (decode "\xcf\xff\xff\xff\xff\xff\xff\xff\xff" :: Either DecodeError Int64)
        `shouldBe` Just "expected an integer from -9223372036854775808 to 9223372036854775807, found 18446744073709551615"
      decode "\xcf\xff\xff\xff\xff\xff\xff\xff\xff" `shouldBe` Right (maxBound :: Word64)
      decode "\xd3\x80\0\0\0\0\0\0\0" `shouldBe` Right (minBound :: Int64)
      reason (decode "\xd1\xff\x7f" :: Either DecodeError Int8) `shouldBe` Just "expected an integer from -128 to 127, found -129"
    it "of other types are read as floats if they are exact" $ do
      decode "\x02" `shouldBe` Right (2 :: Double)
      decode "\xca\x3f\xc0\0\0" `shouldBe` Right (1.5 :: Double)
      decode "\xcb\x3f\xf8\0\0\0\0\0\0" `shouldBe` Right (1.5 :: Float)
      decode "\xcb\x7f\xf0\0\0\0\0\0\0" `shouldBe` Right (1 / 0 :: Float)
      decode "\xca\xff\x80\0\0" `shouldBe` Right (-1 / 0 :: Double)
      fmap (isNaN :: Float -> Bool) (decode "\xcb\x7f\xf8\0\0\0\0\0\x01") `shouldBe` Right True
      fmap errorKind (leftOf (decode "\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a" :: Either DecodeError Float)) `shouldBe` Just UnexpectedValue
      fmap errorKind (leftOf (decode "\xcf\0\x20\0\0\0\0\0\x01" :: Either DecodeError Double)) `shouldBe` Just UnexpectedValue

  describe "points in time" $ do
    prop "are read as the same UTCTime" $ \seconds ->
      forAll (choose (0, 999999999)) $ \nanoseconds ->
        let at = timestamp seconds nanoseconds in (at >>= timestampOf . utcTime) === at .&&. fmap (decode . encodeStrict . utcTime) at === fmap (Right . utcTime) at
    it "are rounded down to nanoseconds" $ do
      encodeStrict (UTCTime (fromGregorian 1970 1 1) (picosecondsToDiffTime 1999)) `shouldBe` "\xd7\xff\0\0\0\x04\0\0\0\0"
      encodeStrict (UTCTime (fromGregorian 1969 12 31) (picosecondsToDiffTime 86399999999999999)) `shouldBe` "\xc7\x0c\xff\x3b\x9a\xc9\xff\xff\xff\xff\xff\xff\xff\xff\xff"
      decode "\xd6\xff\0\0\0\x05" `shouldBe` Right (UTCTime (fromGregorian 1970 1 1) 5)
    it "do not exist beyond 64 bits" $
      timestampOf (UTCTime (fromGregorian 300000000000 1 1) 0) `shouldBe` Nothing

  describe "errors" $ do
    it "have a category, an offset and a reason" $ do
      shown (decode "\x92\x01\xc1") `shouldBe` Just "the byte 0xc1, which begins no value at byte 2"
      shown (decode "\xa2\&a\x80") `shouldBe` Just "invalid UTF-8 at byte 2"
      shown (decode "\x01\x02\x03") `shouldBe` Just "expected the end, found 2 more bytes at byte 1"
      shown (decode "\x91\xcd\x01") `shouldBe` Just "expected 2 bytes, found 1 at byte 2"
      reason (decode "\x91\xa1x" :: Either DecodeError [Int]) `shouldBe` Just "expected an integer, found text"
    it "limit nesting" $ do
      let nested count = Bytes.replicate count 0x91 <> "\xc0"
      fmap errorKind (leftOf (decode (nested 1025) :: Either DecodeError Value)) `shouldBe` Just LimitExceeded
      (() <$ (decode (nested 1024) :: Either DecodeError Value)) `shouldBe` Right ()
      (() <$ (decodeWith (Limits 2000) (nested 2000) :: Either DecodeError Value)) `shouldBe` Right ()
      -- An unknown entry, and types that contain themselves.
      fmap errorKind (leftOf (decode ("\x81\xa1z" <> nested 1025) :: Either DecodeError Point)) `shouldBe` Just LimitExceeded
      let shapes = Bytes.concat (replicate 2000 "\x81\xa5Named\x82\xa5_name\xa1n\xa6_inner\x91")
      fmap errorKind (leftOf (decode shapes :: Either DecodeError Shape)) `shouldBe` Just LimitExceeded
    it "refuse counts that the bytes cannot contain" $
      forM_ ["\xdd\xff\xff\xff\xff", "\xdf\xff\xff\xff\xff", "\xdb\xff\xff\xff\xff", "\xc6\xff\xff\xff\xff\0", "\xc9\xff\xff\xff\xff\x05\0", "\x93\x92\x01\x02\x03"] $ \bytes ->
        fmap errorKind (leftOf (decode bytes :: Either DecodeError Value)) `shouldBe` Just EndOfInput
  where
    reason :: Either DecodeError a -> Maybe String
    reason = fmap errorReason . leftOf
    shown :: Either DecodeError Value -> Maybe String
    shown = fmap displayed . leftOf
    displayed failure = errorReason failure <> " at byte " <> show (errorOffset failure)

leftOf :: Either a b -> Maybe a
leftOf = either Just (const Nothing)

-- | Compares values of which NaN may be a part.
sameAs :: Either DecodeError Value -> Value -> Property
sameAs found value = show found === show (Right value :: Either DecodeError Value)

{-# LANGUAGE OverloadedStrings #-}

-- | The expected digest of a JSON document, written from CONTRACT.md and not from the lane.
module Expected (digest, sha256) where

import qualified Crypto.Hash.SHA256 as SHA256
import Data.Aeson (Value (..), eitherDecodeStrict')
import qualified Data.Aeson.Key as Key
import qualified Data.Aeson.KeyMap as KeyMap
import Data.ByteString (ByteString)
import qualified Data.ByteString as Bytes
import qualified Data.ByteString.Builder as Builder
import qualified Data.ByteString.Char8 as Char8
import qualified Data.ByteString.Lazy as Lazy
import Data.List (sort)
import Data.Scientific (toRealFloat)
import Data.Text (Text)
import Data.Text.Encoding (decodeUtf8, encodeUtf8)
import Numeric (showHex)

digest :: ByteString -> Text
digest document = sha256 (either error form (eitherDecodeStrict' document))

-- | The hexadecimal digits of the hash of a canonical form.
sha256 :: ByteString -> Text
sha256 = decodeUtf8 . Bytes.concatMap digits . SHA256.hash
  where
    digits byte = Char8.pack (drop 1 (showHex (256 + fromIntegral byte :: Int) ""))

form :: Value -> ByteString
form Null = "n"
form (Bool True) = "t"
form (Bool False) = "f"
form (String text) = "s" <> number (Bytes.length bytes) <> ":" <> bytes
  where
    bytes = encodeUtf8 text
form (Array items) = "a" <> number (length items) <> ":" <> foldMap form items
form (Object entries) = "m" <> number (length present) <> ":" <> foldMap (uncurry (<>)) present
  where
    present = sort [(form (String (Key.toText key)), form item) | (key, item) <- KeyMap.toList entries, item /= Null]
form (Number exact)
  | toRational whole == toRational exact && whole >= -(2 ^ bits63) && whole < 2 ^ (bits63 + 1) = "i" <> number whole <> ";"
  | otherwise = "d" <> Lazy.toStrict (Builder.toLazyByteString (Builder.doubleBE (toRealFloat exact)))
  where
    whole = truncate exact :: Integer
    bits63 = 63 :: Int

number :: Show a => a -> ByteString
number = Char8.pack . show

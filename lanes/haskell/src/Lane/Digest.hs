{-# LANGUAGE OverloadedStrings #-}

-- | The canonical digest of a value, as CONTRACT.md defines it.
module Lane.Digest
  ( Plain (..)
  , digest
  ) where

import Crypto.Hash.SHA256 (hashlazy)
import qualified Data.ByteString as Strict
import Data.ByteString.Builder (Builder)
import qualified Data.ByteString.Builder as Builder
import qualified Data.ByteString.Lazy as Lazy
import Data.Int (Int64)
import qualified Data.Map.Strict as Map
import Data.Text (Text)
import Data.Text.Encoding (decodeLatin1, encodeUtf8)
import Data.Word (Word32)

-- | A value of any library, in the terms of the digest. A number with a fraction, or beyond 64 bits, is a
-- 'Real', the nearest double.
data Plain
  = Null
  | Bool Bool
  | Whole Integer
  | Real Double
  | Text Text
  | Bytes Strict.ByteString
  | Array [Plain]
  | -- | Of a repeated key, the last counts.
    Map [(Text, Plain)]
  | -- | Seconds since 1970 rounded down, and nanoseconds.
    Time Int64 Word32

-- | Returns the digest in hexadecimal.
digest :: Plain -> Text
digest = decodeLatin1 . Lazy.toStrict . Builder.toLazyByteString . Builder.byteStringHex . hashlazy . Builder.toLazyByteString . form

form :: Plain -> Builder
form Null = "n"
form (Bool true) = if true then "t" else "f"
form (Whole number)
  | number >= -(2 ^ (63 :: Int)) && number < 2 ^ (64 :: Int) = "i" <> Builder.integerDec number <> ";"
  -- Not fromInteger, which rounds a long number towards zero.
  | otherwise = real (fromRational (toRational number))
form (Real number) = real number
form (Text content) = sized "s" (encodeUtf8 content)
form (Bytes content) = sized "b" content
form (Array items) = counted "a" (length items) <> foldMap form items
form (Map entries) = counted "m" (Map.size present) <> Map.foldMapWithKey entry present
  where
    -- Sorted by the bytes of the form of the key. An entry with null is absent, also after one without.
    present = Map.filter (not . isNull) (Map.fromList [(strict (form (Text key)), item) | (key, item) <- entries])
    entry key item = Builder.byteString key <> form item
    isNull Null = True
    isNull _ = False
    strict = Lazy.toStrict . Builder.toLazyByteString
form (Time seconds nanoseconds) = "T" <> Builder.int64Dec seconds <> "." <> Builder.word32Dec nanoseconds <> ";"

real :: Double -> Builder
real number
  | isNaN number = "d" <> Builder.word64BE 0x7ff8000000000000
  | isInfinite number || number < -9223372036854775808 || number >= 18446744073709551616 = double
  | fromInteger whole == number = "i" <> Builder.integerDec whole <> ";"
  | otherwise = double
  where
    whole = truncate number :: Integer
    double = "d" <> Builder.doubleBE number

sized :: Builder -> Strict.ByteString -> Builder
sized kind content = counted kind (Strict.length content) <> Builder.byteString content

counted :: Builder -> Int -> Builder
counted kind count = kind <> Builder.intDec count <> ":"

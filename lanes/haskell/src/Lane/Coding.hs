-- | The content coding gzip.
module Lane.Coding
  ( Level
  , defaultLevel
  , level
  , deflate
  , inflate
  ) where

import Codec.Compression.GZip (CompressParams (..), compressWith, compressionLevel, decompress, defaultCompressParams)
import qualified Data.ByteString.Lazy as Lazy
import Text.Read (readMaybe)

-- | A level of gzip, from 0 to 9.
newtype Level = Level Int

-- | The level of a coding without a number.
defaultLevel :: Level
defaultLevel = Level 6

-- | Reads a coding, @gzip@ or @gzip:9@.
level :: String -> Maybe Level
level "gzip" = Just defaultLevel
level coding = case splitAt 5 coding of
  ("gzip:", digits) | Just number <- readMaybe digits, number >= 0 && number <= 9 -> Just (Level number)
  _ -> Nothing

deflate :: Level -> Lazy.ByteString -> Lazy.ByteString
deflate (Level number) = compressWith defaultCompressParams {compressLevel = compressionLevel number}

-- | Decompresses lazily. Invalid bytes throw an exception when the result is read up to them.
inflate :: Lazy.ByteString -> Lazy.ByteString
inflate = decompress

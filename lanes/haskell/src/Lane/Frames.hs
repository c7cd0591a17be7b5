-- | Frames: a length of four bytes, most significant first, and that many bytes.
module Lane.Frames
  ( readFrame
  , writeFrames
  , Broken (..)
  ) where

import Control.Exception (Exception (..), throwIO)
import Data.Bits (shiftL, (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as Strict
import Data.ByteString.Builder (hPutBuilder, lazyByteString, word32BE)
import qualified Data.ByteString.Lazy as Lazy
import System.IO (Handle, hFlush)

-- | The input is broken: the start of the next request is unknown.
newtype Broken = Broken String
  deriving (Show)

instance Exception Broken where
  displayException (Broken reason) = reason

-- | Reads a frame. Returns 'Nothing' if the input ends between frames.
readFrame :: Handle -> IO (Maybe ByteString)
readFrame input = do
  head' <- Strict.hGet input 4
  case Strict.length head' of
    0 -> pure Nothing
    4 -> Just <$> content input (Strict.foldl' (\count byte -> count `shiftL` 8 .|. fromIntegral byte) 0 head')
    found -> throwIO (Broken ("the input ends after " <> show found <> " of the 4 bytes of a length"))

content :: Handle -> Int -> IO ByteString
content input count = parts count []
  where
    parts 0 read' = pure (Strict.concat (reverse read'))
    parts missing read' = do
      part <- Strict.hGet input (min missing partMax)
      if Strict.null part
        then throwIO (Broken ("the input ends after " <> show (count - missing) <> " of the " <> show count <> " bytes of a frame"))
        else parts (missing - Strict.length part) (part : read')
    -- A false length does not allocate memory.
    partMax = 1048576

-- | Writes frames and flushes the output.
writeFrames :: Handle -> [Lazy.ByteString] -> IO ()
writeFrames output frames = hPutBuilder output (foldMap frame frames) *> hFlush output
  where
    frame bytes = word32BE (fromIntegral (Lazy.length bytes)) <> lazyByteString bytes

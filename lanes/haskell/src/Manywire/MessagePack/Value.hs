-- | A value of any type, as MessagePack has them.
module Manywire.MessagePack.Value
  ( Value (..)
  , Timestamp
  , timestamp
  , timestampSeconds
  , timestampNanoseconds
  , timestampOf
  , utcTime
  ) where

import Control.DeepSeq (NFData (..))
import Data.ByteString (ByteString)
import Data.Int (Int64, Int8)
import Data.Text (Text)
import Data.Time.Calendar (Day (..))
import Data.Time.Clock (UTCTime (..), diffTimeToPicoseconds, picosecondsToDiffTime)
import Data.Vector (Vector)
import Data.Word (Word32, Word64)

-- | A value of any type.
data Value
  = Nil
  | Bool !Bool
  | -- | An integer from -2^63 to 2^63 - 1.
    Int !Int64
  | -- | An integer. The decoder returns it only for integers from 2^63, which an 'Int' cannot have.
    Word !Word64
  | Float !Float
  | Double !Double
  | Text !Text
  | Binary !ByteString
  | Array !(Vector Value)
  | -- | Entries in the order of the bytes. Keys may be of any type, and may be repeated.
    Map !(Vector (Value, Value))
  | -- | An application's type, from 0 to 127, or one reserved by the specification, below 0; and its
    -- content. The type -1 is 'Time'.
    Extension !Int8 !ByteString
  | Time !Timestamp
  deriving (Eq, Show)

instance NFData Value where
  rnf (Array items) = rnf items
  rnf (Map entries) = rnf entries
  -- All other fields are strict, and their types have no lazy parts.
  rnf value = value `seq` ()

-- | A point in time: the extension type -1.
data Timestamp = Timestamp !Int64 !Word32
  deriving (Eq, Ord, Show)

instance NFData Timestamp where
  rnf time = time `seq` ()

-- | Returns a point in time from seconds since 1970-01-01T00:00:00Z, rounded down, and nanoseconds beyond
-- them. Returns 'Nothing' if there are more than 999,999,999 nanoseconds.
timestamp :: Int64 -> Word32 -> Maybe Timestamp
timestamp seconds nanoseconds
  | nanoseconds < 1000000000 = Just (Timestamp seconds nanoseconds)
  | otherwise = Nothing

-- | The seconds since 1970-01-01T00:00:00Z, rounded down.
timestampSeconds :: Timestamp -> Int64
timestampSeconds (Timestamp seconds _) = seconds

-- | The nanoseconds beyond 'timestampSeconds', from 0 to 999,999,999.
timestampNanoseconds :: Timestamp -> Word32
timestampNanoseconds (Timestamp _ nanoseconds) = nanoseconds

-- | Returns a 'UTCTime' rounded down to nanoseconds, or 'Nothing' if its seconds do not fit into an 'Int64'.
timestampOf :: UTCTime -> Maybe Timestamp
timestampOf (UTCTime day ofDay)
  | seconds < toInteger (minBound :: Int64) || seconds > toInteger (maxBound :: Int64) = Nothing
  | otherwise = Just (Timestamp (fromInteger seconds) (fromInteger (picoseconds `div` 1000)))
  where
    (secondsOfDay, picoseconds) = diffTimeToPicoseconds ofDay `divMod` picosecondsPerSecond
    seconds = (toModifiedJulianDay day - epoch) * secondsPerDay + secondsOfDay

utcTime :: Timestamp -> UTCTime
utcTime (Timestamp seconds nanoseconds) =
  UTCTime
    (ModifiedJulianDay (epoch + days))
    (picosecondsToDiffTime (secondsOfDay * picosecondsPerSecond + toInteger nanoseconds * 1000))
  where
    (days, secondsOfDay) = toInteger seconds `divMod` secondsPerDay

-- | 1970-01-01 as a modified Julian day.
epoch :: Integer
epoch = 40587

secondsPerDay, picosecondsPerSecond :: Integer
secondsPerDay = 86400
picosecondsPerSecond = 1000000000000

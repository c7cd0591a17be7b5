{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The record of the evaluation: a field of each type that both formats have, and one of a sum type. Its
-- forms are derived by "GHC.Generics": as the evaluation had them, and as a program would have them today.
module Record
  ( Record (..)
  , B (..)
  , Today (..)
  , Row (..)
  , example
  ) where

import Control.DeepSeq (NFData)
import Data.Aeson (FromJSON (..), ToJSON (..), defaultOptions, genericToEncoding)
import Data.Text (Text)
import GHC.Generics (Generic)
import Manywire.MessagePack (Decoder, Encoding, FromMessagePack (..), Layout (..), ToMessagePack (..), genericFromMessagePack, genericToMessagePack, recordLayout)
import qualified Manywire.MessagePack as MessagePack

data Record = Record
  { fieldB :: B
  , fieldText :: Text
  , fieldInt :: Int
  , fieldDouble :: Double
  , fieldFloat :: Float
  , fieldWord :: Word
  , fieldMaybeText :: Maybe Text
  , fieldListText :: [Text]
  }
  deriving (Eq, Show, Generic)

data B = B1 Int | B2 Float
  deriving (Eq, Show, Generic)

-- | A record that aeson writes by 'toEncoding'.
newtype Today = Today {todayRecord :: Record}
  deriving (Eq, Show)

-- | A record that is an array in MessagePack.
newtype Row = Row {rowRecord :: Record}
  deriving (Eq, Show)

instance NFData Record

instance NFData B

example :: Record
example =
  Record
    { fieldB = B1 1
    , fieldText = "foo"
    , fieldInt = 12
    , fieldDouble = 234.234123
    , fieldFloat = 123.34563
    , fieldWord = 12
    , fieldMaybeText = Nothing
    , fieldListText = ["bar", "baz"]
    }

-- As the evaluation had it: without toEncoding, aeson makes a Value first.

instance ToJSON Record

instance FromJSON Record

instance ToJSON B where
  toEncoding = genericToEncoding defaultOptions

instance FromJSON B

instance ToJSON Today where
  toJSON = toJSON . todayRecord
  toEncoding = genericToEncoding defaultOptions . todayRecord

instance FromJSON Today where
  parseJSON = fmap Today . parseJSON

instance ToMessagePack Record

instance FromMessagePack Record

instance ToMessagePack B

instance FromMessagePack B

instance ToMessagePack Row where
  toMessagePack = writeArray . rowRecord

instance FromMessagePack Row where
  fromMessagePack = Row <$> readArray

writeArray :: Record -> Encoding
writeArray = genericToMessagePack MessagePack.defaultOptions {recordLayout = AsArray}

readArray :: Decoder Record
readArray = genericFromMessagePack MessagePack.defaultOptions {recordLayout = AsArray}

{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The record of @examples/record-a.json@, and its forms: JSON by aeson, and MessagePack with records as
-- maps and as arrays. All are derived by "GHC.Generics".
module Record
  ( Record (..)
  , B (..)
  , Row (..)
  , example
  ) where

import Control.DeepSeq (NFData)
import Data.Aeson (FromJSON (..), Options (..), SumEncoding (..), ToJSON (..), genericParseJSON, genericToEncoding, genericToJSON)
import qualified Data.Aeson as Aeson
import Data.Text (Text)
import GHC.Generics (Generic)
import Manywire.MessagePack (Decoder, Encoding, FromMessagePack (..), Layout (..), ToMessagePack (..), defaultOptions, genericFromMessagePack, genericToMessagePack, recordLayout)

data Record = Record
  { fieldB :: !B
  , fieldText :: !Text
  , fieldInt :: !Int
  , fieldDouble :: !Double
  , fieldFloat :: !Float
  , fieldWord :: !Word
  , fieldListText :: ![Text]
  }
  deriving (Eq, Show, Generic)

-- | The document has only a 'B1'. Its name is necessary because there is another constructor.
data B = B1 !Int | B2 !Text
  deriving (Eq, Show, Generic)

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
    , fieldListText = ["bar", "baz"]
    }

-- | @{"B1":1}@, as the document has it. By default, aeson writes @{"tag":"B1","contents":1}@.
json :: Options
json = Aeson.defaultOptions {sumEncoding = ObjectWithSingleField}

-- Without toEncoding, aeson would make a Value first.

instance ToJSON Record where
  toJSON = genericToJSON json
  toEncoding = genericToEncoding json

instance FromJSON Record where
  parseJSON = genericParseJSON json

instance ToJSON B where
  toJSON = genericToJSON json
  toEncoding = genericToEncoding json

instance FromJSON B where
  parseJSON = genericParseJSON json

instance ToMessagePack Record

instance FromMessagePack Record

instance ToMessagePack B

instance FromMessagePack B

instance ToMessagePack Row where
  toMessagePack = writeArray . rowRecord

instance FromMessagePack Row where
  fromMessagePack = Row <$> readArray

writeArray :: Record -> Encoding
writeArray = genericToMessagePack defaultOptions {recordLayout = AsArray}

readArray :: Decoder Record
readArray = genericFromMessagePack defaultOptions {recordLayout = AsArray}

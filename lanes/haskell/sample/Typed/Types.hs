{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Written by `manywire shape`. Packages: aeson, containers, text, time.
module Typed.Types where

import Data.Aeson
  ( FromJSON (..)
  , Options
  , ToJSON (..)
  , Value
  , defaultOptions
  , fieldLabelModifier
  , genericParseJSON
  , genericToEncoding
  , genericToJSON
  , object
  , omitNothingFields
  , pairs
  , withObject
  , (.=)
  )
import Data.Int (Int64, Int8)
import Data.Map.Strict (Map)
import Data.Text (Text)
import Data.Time (UTCTime)
import Data.Word (Word16, Word64)
import GHC.Generics (Generic)

data Root = Root
  { rootId :: !Word64
  , rootSmall :: !Int8
  , rootSize :: !Word16
  , rootTotal :: !Int64
  , rootRatio :: !Float
  , rootReal :: !Double
  , rootFlag :: !Bool
  , rootOddKey :: !Text
  , rootNote :: !(Maybe Text)
  , rootCount :: !(Maybe Int64)
  , rootMatrix :: ![[Int64]]
  , rootPlace :: !Place
  , rootPlaces :: !(Maybe [Place])
  , rootBy :: !(Map Text Place)
  , rootMixed :: ![Value]
    -- ^ an array of (text or an integer or null).
  , rootAny :: !Value
  , rootNone :: !None
  , rootParser :: !Parser
  , rootTree :: !RootTreeItem
  , rootOmitNothingFieldsTrue :: !(Maybe Record)
  , rootAt :: !(Maybe UTCTime)
  , rootData :: !(Maybe Bytes)
  }
  deriving (Eq, Show, Generic)

instance ToJSON Root where
  toJSON record =
    object $
      concat
        [ ["id" .= rootId record]
        , ["small" .= rootSmall record]
        , ["size" .= rootSize record]
        , ["total" .= rootTotal record]
        , ["ratio" .= rootRatio record]
        , ["real" .= rootReal record]
        , ["flag" .= rootFlag record]
        , ["odd key" .= rootOddKey record]
        , ["note" .= content | Just content <- [rootNote record]]
        , ["count" .= rootCount record]
        , ["matrix" .= rootMatrix record]
        , ["place" .= rootPlace record]
        , ["places" .= content | Just content <- [rootPlaces record]]
        , ["by" .= rootBy record]
        , ["mixed" .= rootMixed record]
        , ["any" .= rootAny record]
        , ["none" .= rootNone record]
        , ["parser" .= rootParser record]
        , ["tree" .= rootTree record]
        , ["omitNothingFields = True" .= content | Just content <- [rootOmitNothingFieldsTrue record]]
        , ["at" .= content | Just content <- [rootAt record]]
        , ["data" .= content | Just content <- [rootData record]]
        ]
  toEncoding record =
    pairs . mconcat $
      concat
        [ ["id" .= rootId record]
        , ["small" .= rootSmall record]
        , ["size" .= rootSize record]
        , ["total" .= rootTotal record]
        , ["ratio" .= rootRatio record]
        , ["real" .= rootReal record]
        , ["flag" .= rootFlag record]
        , ["odd key" .= rootOddKey record]
        , ["note" .= content | Just content <- [rootNote record]]
        , ["count" .= rootCount record]
        , ["matrix" .= rootMatrix record]
        , ["place" .= rootPlace record]
        , ["places" .= content | Just content <- [rootPlaces record]]
        , ["by" .= rootBy record]
        , ["mixed" .= rootMixed record]
        , ["any" .= rootAny record]
        , ["none" .= rootNone record]
        , ["parser" .= rootParser record]
        , ["tree" .= rootTree record]
        , ["omitNothingFields = True" .= content | Just content <- [rootOmitNothingFieldsTrue record]]
        , ["at" .= content | Just content <- [rootAt record]]
        , ["data" .= content | Just content <- [rootData record]]
        ]

instance FromJSON Root where
  parseJSON = genericParseJSON rootOptions

rootOptions :: Options
rootOptions = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "rootId" -> "id"
      "rootSmall" -> "small"
      "rootSize" -> "size"
      "rootTotal" -> "total"
      "rootRatio" -> "ratio"
      "rootReal" -> "real"
      "rootFlag" -> "flag"
      "rootOddKey" -> "odd key"
      "rootNote" -> "note"
      "rootCount" -> "count"
      "rootMatrix" -> "matrix"
      "rootPlace" -> "place"
      "rootPlaces" -> "places"
      "rootBy" -> "by"
      "rootMixed" -> "mixed"
      "rootAny" -> "any"
      "rootNone" -> "none"
      "rootParser" -> "parser"
      "rootTree" -> "tree"
      "rootOmitNothingFieldsTrue" -> "omitNothingFields = True"
      "rootAt" -> "at"
      "rootData" -> "data"
      _ -> field

data Place = Place
  { placeLat :: !Double
  , placeName :: !(Maybe Text)
  }
  deriving (Eq, Show, Generic)

instance ToJSON Place where
  toJSON = genericToJSON placeOptions
  toEncoding = genericToEncoding placeOptions

instance FromJSON Place where
  parseJSON = genericParseJSON placeOptions

placeOptions :: Options
placeOptions = defaultOptions {fieldLabelModifier = key, omitNothingFields = True}
  where
    key field = case field of
      "placeLat" -> "lat"
      "placeName" -> "name"
      _ -> field

data None = None
  deriving (Eq, Show, Generic)

instance ToJSON None where
  toJSON _ = object []
  toEncoding _ = pairs mempty

instance FromJSON None where
  parseJSON = withObject "None" $ \_ -> pure None

data Parser = Parser
  { parserValue :: !Int64
  , parserNext :: !(Maybe Parser)
  , parserSkipped :: !(Maybe Bool)
  }
  deriving (Eq, Show, Generic)

instance ToJSON Parser where
  toJSON record =
    object $
      concat
        [ ["value" .= parserValue record]
        , ["next" .= parserNext record]
        , ["skipped" .= content | Just content <- [parserSkipped record]]
        ]
  toEncoding record =
    pairs . mconcat $
      concat
        [ ["value" .= parserValue record]
        , ["next" .= parserNext record]
        , ["skipped" .= content | Just content <- [parserSkipped record]]
        ]

instance FromJSON Parser where
  parseJSON = genericParseJSON parserOptions

parserOptions :: Options
parserOptions = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "parserValue" -> "value"
      "parserNext" -> "next"
      "parserSkipped" -> "skipped"
      _ -> field

newtype RootTreeItem = RootTreeItem [RootTreeItem]
  deriving (Eq, Show, Generic)

instance ToJSON RootTreeItem where
  toJSON = genericToJSON defaultOptions
  toEncoding = genericToEncoding defaultOptions

instance FromJSON RootTreeItem where
  parseJSON = genericParseJSON defaultOptions

data Record = Record
  { recordLayout :: !(Maybe Bool)
  }
  deriving (Eq, Show, Generic)

instance ToJSON Record where
  toJSON = genericToJSON recordOptions
  toEncoding = genericToEncoding recordOptions

instance FromJSON Record where
  parseJSON = genericParseJSON recordOptions

recordOptions :: Options
recordOptions = defaultOptions {fieldLabelModifier = key, omitNothingFields = True}
  where
    key field = case field of
      "recordLayout" -> "layout"
      _ -> field

-- | Bytes as base64, because JSON has none.
type Bytes = Text

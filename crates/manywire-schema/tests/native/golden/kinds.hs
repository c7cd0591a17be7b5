{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Written by `manywire shape`. Packages: aeson, containers, text.
module Types where

import Data.Aeson
  ( FromJSON (..)
  , FromJSONKey (..)
  , Options
  , SumEncoding (..)
  , ToJSON (..)
  , ToJSONKey (..)
  , Value (..)
  , allNullaryToStringTag
  , constructorTagModifier
  , defaultJSONKeyOptions
  , defaultOptions
  , fieldLabelModifier
  , genericFromJSONKey
  , genericParseJSON
  , genericToEncoding
  , genericToJSON
  , genericToJSONKey
  , keyModifier
  , object
  , omitNothingFields
  , pairs
  , sumEncoding
  , tagSingleConstructors
  , withObject
  , (.:)
  , (.=)
  )
import qualified Data.Aeson.Key as Key
import qualified Data.Aeson.KeyMap as KeyMap
import Data.Int (Int64)
import Data.Map.Strict (Map)
import qualified Data.Map.Strict as Map
import Data.Text (Text)
import Data.Word (Word8)
import GHC.Generics (Generic)

-- | Of every kind one. */ // """ \u002a
data Kinds = Kinds
  { kindsSmall :: !Word8
  , kindsSizes :: !(Maybe [Word8])
  , kindsLetter :: !Text
  , kindsColor :: !Color
  , kindsPair :: !(Text, Int64)
  , kindsSquare :: ![Double]
  , kindsOne :: !Value
    -- ^ text or an integer or null.
  , kindsAny :: !Value
  , kindsExternal :: ![External]
  , kindsWhole :: !(Maybe Whole)
  , kindsInternal :: ![Internal]
  , kindsAdjacent :: ![Adjacent]
  , kindsByNumber :: !(Map Int64 Text)
  , kindsByColor :: !(Map Color Bool)
  , kindsNested :: !(Maybe KindsNestedItem)
  , kindsOpen :: !(Maybe Open)
  , kindsTree :: !(Maybe Tree)
  }
  deriving (Eq, Show, Generic)

instance ToJSON Kinds where
  toJSON = genericToJSON kindsOptions
  toEncoding = genericToEncoding kindsOptions

instance FromJSON Kinds where
  parseJSON = genericParseJSON kindsOptions

kindsOptions :: Options
kindsOptions = defaultOptions {fieldLabelModifier = key, omitNothingFields = True}
  where
    key field = case field of
      "kindsSmall" -> "small"
      "kindsSizes" -> "sizes"
      "kindsLetter" -> "letter"
      "kindsColor" -> "color"
      "kindsPair" -> "pair"
      "kindsSquare" -> "square"
      "kindsOne" -> "one"
      "kindsAny" -> "any"
      "kindsExternal" -> "external"
      "kindsWhole" -> "whole"
      "kindsInternal" -> "internal"
      "kindsAdjacent" -> "adjacent"
      "kindsByNumber" -> "byNumber"
      "kindsByColor" -> "byColor"
      "kindsNested" -> "nested"
      "kindsOpen" -> "open"
      "kindsTree" -> "tree"
      _ -> field

data Color
  = ColorRed
  | ColorDarkGreen
  | ColorEmpty
  | ColorClass
  deriving (Eq, Ord, Show, Generic)

instance ToJSON Color where
  toJSON = genericToJSON colorOptions
  toEncoding = genericToEncoding colorOptions

instance FromJSON Color where
  parseJSON = genericParseJSON colorOptions

instance ToJSONKey Color where
  toJSONKey = genericToJSONKey defaultJSONKeyOptions {keyModifier = constructorTagModifier colorOptions}

instance FromJSONKey Color where
  fromJSONKey = genericFromJSONKey defaultJSONKeyOptions {keyModifier = constructorTagModifier colorOptions}

colorOptions :: Options
colorOptions = defaultOptions {constructorTagModifier = key, tagSingleConstructors = True}
  where
    key name = case name of
      "ColorRed" -> "red"
      "ColorDarkGreen" -> "dark green"
      "ColorEmpty" -> ""
      "ColorClass" -> "class"
      _ -> name

data External
  = ExternalNone
  | ExternalCircle !Circle
  | ExternalABox !Box
  deriving (Eq, Show, Generic)

instance ToJSON External where
  toJSON ExternalNone = String "none"
  toJSON (ExternalCircle content) = object ["circle" .= content]
  toJSON (ExternalABox content) = object ["a box" .= content]
  toEncoding ExternalNone = toEncoding (String "none")
  toEncoding (ExternalCircle content) = pairs ("circle" .= content)
  toEncoding (ExternalABox content) = pairs ("a box" .= content)

instance FromJSON External where
  parseJSON (String "none") = pure ExternalNone
  parseJSON (Object entries)
    | [("circle", content)] <- KeyMap.toList entries = ExternalCircle <$> parseJSON content
    | [("a box", content)] <- KeyMap.toList entries = ExternalABox <$> parseJSON content
  parseJSON _ = fail "expected a variant of External"

data Whole
  = WholeCircle !Circle
  | WholeNumber !Int64
  deriving (Eq, Show, Generic)

instance ToJSON Whole where
  toJSON (WholeCircle content) = object ["circle" .= content]
  toJSON (WholeNumber content) = object ["number" .= content]
  toEncoding (WholeCircle content) = pairs ("circle" .= content)
  toEncoding (WholeNumber content) = pairs ("number" .= content)

instance FromJSON Whole where
  parseJSON (Object entries)
    | [("circle", content)] <- KeyMap.toList entries = WholeCircle <$> parseJSON content
    | [("number", content)] <- KeyMap.toList entries = WholeNumber <$> parseJSON content
  parseJSON _ = fail "expected a variant of Whole"

data Internal
  = InternalCircle !Circle2
  | InternalABox !ABox
  deriving (Eq, Show, Generic)

instance ToJSON Internal where
  toJSON (InternalCircle content) = case toJSON content of
    Object fields -> Object (KeyMap.insert "kind" (String "circle") fields)
    other -> other
  toJSON (InternalABox content) = case toJSON content of
    Object fields -> Object (KeyMap.insert "kind" (String "a box") fields)
    other -> other

instance FromJSON Internal where
  parseJSON = withObject "Internal" $ \entries -> do
    tag <- entries .: "kind"
    case tag of
      String "circle" -> InternalCircle <$> parseJSON (Object (KeyMap.delete "kind" entries))
      String "a box" -> InternalABox <$> parseJSON (Object (KeyMap.delete "kind" entries))
      _ -> fail "expected a variant of Internal"

data Adjacent
  = AdjacentCircle !Circle
  | AdjacentText !Text
  deriving (Eq, Show, Generic)

instance ToJSON Adjacent where
  toJSON = genericToJSON adjacentOptions
  toEncoding = genericToEncoding adjacentOptions

instance FromJSON Adjacent where
  parseJSON = genericParseJSON adjacentOptions

adjacentOptions :: Options
adjacentOptions =
  defaultOptions
    { allNullaryToStringTag = False
    , constructorTagModifier = key
    , sumEncoding = TaggedObject {tagFieldName = "t", contentsFieldName = "c"}
    , tagSingleConstructors = True
    }
  where
    key name = case name of
      "AdjacentCircle" -> "circle"
      "AdjacentText" -> "text"
      _ -> name

newtype KindsNestedItem = KindsNestedItem [KindsNestedItem]
  deriving (Eq, Show, Generic)

instance ToJSON KindsNestedItem where
  toJSON = genericToJSON defaultOptions
  toEncoding = genericToEncoding defaultOptions

instance FromJSON KindsNestedItem where
  parseJSON = genericParseJSON defaultOptions

data Open = Open
  { openId :: !Int64
  , openRest :: !(Map Text Text)
    -- ^ Every other key.
  }
  deriving (Eq, Show, Generic)

instance ToJSON Open where
  toJSON record =
    object $
      concat
        [ ["id" .= openId record]
        , [Key.fromText key .= content | (key, content) <- Map.toList (openRest record)]
        ]
  toEncoding record =
    pairs . mconcat $
      concat
        [ ["id" .= openId record]
        , [Key.fromText key .= content | (key, content) <- Map.toList (openRest record)]
        ]

instance FromJSON Open where
  parseJSON = withObject "Open" $ \entries ->
    Open
      <$> entries .: "id"
      <*> parseJSON (Object (KeyMap.filterWithKey (\key _ -> key `notElem` ["id"]) entries))

data Tree = Tree
  { treeLeft :: !(Maybe Tree)
  , treeRight :: !(Maybe Tree)
  }
  deriving (Eq, Show, Generic)

instance ToJSON Tree where
  toJSON record =
    object $
      concat
        [ ["left" .= treeLeft record]
        , ["right" .= content | Just content <- [treeRight record]]
        ]
  toEncoding record =
    pairs . mconcat $
      concat
        [ ["left" .= treeLeft record]
        , ["right" .= content | Just content <- [treeRight record]]
        ]

instance FromJSON Tree where
  parseJSON = genericParseJSON treeOptions

treeOptions :: Options
treeOptions = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "treeLeft" -> "left"
      "treeRight" -> "right"
      _ -> field

data Circle = Circle
  { circleRadius :: !Double
  }
  deriving (Eq, Show, Generic)

instance ToJSON Circle where
  toJSON = genericToJSON circleOptions
  toEncoding = genericToEncoding circleOptions

instance FromJSON Circle where
  parseJSON = genericParseJSON circleOptions

circleOptions :: Options
circleOptions = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "circleRadius" -> "radius"
      _ -> field

data Box = Box
  { boxWidth :: !Double
  , boxLabel :: !(Maybe Text)
  }
  deriving (Eq, Show, Generic)

instance ToJSON Box where
  toJSON = genericToJSON boxOptions
  toEncoding = genericToEncoding boxOptions

instance FromJSON Box where
  parseJSON = genericParseJSON boxOptions

boxOptions :: Options
boxOptions = defaultOptions {fieldLabelModifier = key, omitNothingFields = True}
  where
    key field = case field of
      "boxWidth" -> "width"
      "boxLabel" -> "label"
      _ -> field

data Circle2 = Circle2
  { circle2Radius :: !Double
  }
  deriving (Eq, Show, Generic)

instance ToJSON Circle2 where
  toJSON = genericToJSON circle2Options
  toEncoding = genericToEncoding circle2Options

instance FromJSON Circle2 where
  parseJSON = genericParseJSON circle2Options

circle2Options :: Options
circle2Options = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "circle2Radius" -> "radius"
      _ -> field

data ABox = ABox
  { aBoxWidth :: !Double
  }
  deriving (Eq, Show, Generic)

instance ToJSON ABox where
  toJSON = genericToJSON aBoxOptions
  toEncoding = genericToEncoding aBoxOptions

instance FromJSON ABox where
  parseJSON = genericParseJSON aBoxOptions

aBoxOptions :: Options
aBoxOptions = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "aBoxWidth" -> "width"
      _ -> field

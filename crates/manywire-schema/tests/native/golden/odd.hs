{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Written by `manywire shape`. Packages: aeson, containers, text.
module Types where

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
  , pairs
  , withObject
  , (.=)
  )
import Data.Int (Int64)
import Data.Map.Strict (Map)
import Data.Text (Text)
import Data.Word (Word64)
import GHC.Generics (Generic)

data Root = Root
  { rootField :: !Int64
  , rootOddKey :: !Int64
  , rootClass :: !Int64
  , rootClass2 :: !Int64
  , rootClass3 :: !Int64
  , rootSelf :: !Int64
  , rootSelf2 :: !Text
  , rootType :: !Text
  , rootImport :: !Bool
  , rootInt :: !Int64
  , rootList :: ![Text]
  , rootNaVe :: !Int64
  , rootField2 :: !Text
  , rootField3 :: !Text
  , rootAB :: !Int64
  , rootAB2 :: !Int64
  , rootAB3 :: !Int64
  , rootN1st :: !Int64
  , rootQuote :: !Int64
  , rootBackSlash :: !Int64
  , rootItS :: !Int64
  , rootComma :: !Int64
  , rootTick :: !Int64
  , rootXmlLang :: !Text
  , rootTab :: !Int64
  , rootLineFeed :: !Int64
  , rootEmoji :: !Int64
  , rootRtl :: !Int64
  , rootU0022 :: !Int64
  , rootRef :: !Text
  , rootField4 :: !Int64
  , rootField5 :: !Int64
  , rootProto :: !Int64
  , rootConstructor :: !Int64
  , rootHashCode :: !Int64
  , rootToString :: !Text
  , rootField6 :: !Text
  , rootUserId :: !Int64
  , rootHttpUrl :: !Text
  , rootNothing :: !Value
  , rootUnsigned :: !Word64
  , rootLeast :: !Int64
  , rootMixed :: ![Value]
    -- ^ an array of (a float or a boolean or text or an array of (an integer) or Mixed or null).
  , rootNumbers :: ![Double]
  , rootEmpty :: ![Value]
  , rootEmptyObject :: !EmptyObject
  , rootMatrix :: ![[Int64]]
  , rootMaybe :: ![Maybe2]
  , rootByNumber :: !(Map Text ByNumber)
  , rootString :: !String2
  , rootOption :: !Option
  , rootTree :: !Tree
  , rootChain :: !Chain
  }
  deriving (Eq, Show, Generic)

instance ToJSON Root where
  toJSON = genericToJSON rootOptions
  toEncoding = genericToEncoding rootOptions

instance FromJSON Root where
  parseJSON = genericParseJSON rootOptions

rootOptions :: Options
rootOptions = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "rootField" -> ""
      "rootOddKey" -> "odd key"
      "rootClass" -> "class"
      "rootClass2" -> "Class"
      "rootClass3" -> "CLASS"
      "rootSelf" -> "self"
      "rootSelf2" -> "Self"
      "rootType" -> "type"
      "rootImport" -> "import"
      "rootInt" -> "int"
      "rootList" -> "list"
      "rootNaVe" -> "naïve"
      "rootField2" -> "名前"
      "rootField3" -> "имя"
      "rootAB" -> "a-b"
      "rootAB2" -> "a_b"
      "rootAB3" -> "aB"
      "rootN1st" -> "1st"
      "rootQuote" -> "quote\""
      "rootBackSlash" -> "back\\slash"
      "rootItS" -> "it's"
      "rootComma" -> "comma,"
      "rootTick" -> "`tick`"
      "rootXmlLang" -> "xml:lang"
      "rootTab" -> "tab\t"
      "rootLineFeed" -> "line\nfeed"
      "rootEmoji" -> "emoji😀"
      "rootRtl" -> "rtl\x202e\&"
      "rootU0022" -> "\\u0022"
      "rootRef" -> "$ref"
      "rootField4" -> "-"
      "rootField5" -> "_"
      "rootProto" -> "__proto__"
      "rootConstructor" -> "constructor"
      "rootHashCode" -> "hashCode"
      "rootToString" -> "toString"
      "rootField6" -> "*/"
      "rootUserId" -> "userId"
      "rootHttpUrl" -> "http_url"
      "rootNothing" -> "nothing"
      "rootUnsigned" -> "unsigned"
      "rootLeast" -> "least"
      "rootMixed" -> "mixed"
      "rootNumbers" -> "numbers"
      "rootEmpty" -> "empty"
      "rootEmptyObject" -> "emptyObject"
      "rootMatrix" -> "matrix"
      "rootMaybe" -> "maybe"
      "rootByNumber" -> "byNumber"
      "rootString" -> "String"
      "rootOption" -> "Option"
      "rootTree" -> "tree"
      "rootChain" -> "chain"
      _ -> field

data Mixed = Mixed
  { mixedB :: !Int64
  }
  deriving (Eq, Show, Generic)

instance ToJSON Mixed where
  toJSON = genericToJSON mixedOptions
  toEncoding = genericToEncoding mixedOptions

instance FromJSON Mixed where
  parseJSON = genericParseJSON mixedOptions

mixedOptions :: Options
mixedOptions = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "mixedB" -> "b"
      _ -> field

data EmptyObject = EmptyObject
  deriving (Eq, Show, Generic)

instance ToJSON EmptyObject where
  toJSON _ = object []
  toEncoding _ = pairs mempty

instance FromJSON EmptyObject where
  parseJSON = withObject "EmptyObject" $ \_ -> pure EmptyObject

data Maybe2 = Maybe2
  { maybe2X :: !(Maybe Int64)
  , maybe2Y :: !(Maybe Text)
    -- ^ Null is read as absent.
  }
  deriving (Eq, Show, Generic)

instance ToJSON Maybe2 where
  toJSON record =
    object $
      concat
        [ ["x" .= maybe2X record]
        , ["y" .= content | Just content <- [maybe2Y record]]
        ]
  toEncoding record =
    pairs . mconcat $
      concat
        [ ["x" .= maybe2X record]
        , ["y" .= content | Just content <- [maybe2Y record]]
        ]

instance FromJSON Maybe2 where
  parseJSON = genericParseJSON maybe2Options

maybe2Options :: Options
maybe2Options = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "maybe2X" -> "x"
      "maybe2Y" -> "y"
      _ -> field

data ByNumber = ByNumber
  { byNumberN :: !Int64
  }
  deriving (Eq, Show, Generic)

instance ToJSON ByNumber where
  toJSON = genericToJSON byNumberOptions
  toEncoding = genericToEncoding byNumberOptions

instance FromJSON ByNumber where
  parseJSON = genericParseJSON byNumberOptions

byNumberOptions :: Options
byNumberOptions = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "byNumberN" -> "n"
      _ -> field

data String2 = String2
  { string2Object :: !Object2
  }
  deriving (Eq, Show, Generic)

instance ToJSON String2 where
  toJSON = genericToJSON string2Options
  toEncoding = genericToEncoding string2Options

instance FromJSON String2 where
  parseJSON = genericParseJSON string2Options

string2Options :: Options
string2Options = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "string2Object" -> "Object"
      _ -> field

data Option = Option
  { optionVec :: !Vec
  }
  deriving (Eq, Show, Generic)

instance ToJSON Option where
  toJSON = genericToJSON optionOptions
  toEncoding = genericToEncoding optionOptions

instance FromJSON Option where
  parseJSON = genericParseJSON optionOptions

optionOptions :: Options
optionOptions = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "optionVec" -> "Vec"
      _ -> field

data Tree = Tree
  { treeName :: !Text
  , treeChildren :: ![Tree]
  }
  deriving (Eq, Show, Generic)

instance ToJSON Tree where
  toJSON = genericToJSON treeOptions
  toEncoding = genericToEncoding treeOptions

instance FromJSON Tree where
  parseJSON = genericParseJSON treeOptions

treeOptions :: Options
treeOptions = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "treeName" -> "name"
      "treeChildren" -> "children"
      _ -> field

data Chain = Chain
  { chainValue :: !Int64
  , chainNext :: !(Maybe Chain)
  }
  deriving (Eq, Show, Generic)

instance ToJSON Chain where
  toJSON = genericToJSON chainOptions
  toEncoding = genericToEncoding chainOptions

instance FromJSON Chain where
  parseJSON = genericParseJSON chainOptions

chainOptions :: Options
chainOptions = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "chainValue" -> "value"
      "chainNext" -> "next"
      _ -> field

data Object2 = Object2
  { object2List :: !List
  }
  deriving (Eq, Show, Generic)

instance ToJSON Object2 where
  toJSON = genericToJSON object2Options
  toEncoding = genericToEncoding object2Options

instance FromJSON Object2 where
  parseJSON = genericParseJSON object2Options

object2Options :: Options
object2Options = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "object2List" -> "List"
      _ -> field

data Vec = Vec
  { vecBox :: !Bool
  }
  deriving (Eq, Show, Generic)

instance ToJSON Vec where
  toJSON = genericToJSON vecOptions
  toEncoding = genericToEncoding vecOptions

instance FromJSON Vec where
  parseJSON = genericParseJSON vecOptions

vecOptions :: Options
vecOptions = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "vecBox" -> "Box"
      _ -> field

data List = List
  { listMap :: !Int64
  }
  deriving (Eq, Show, Generic)

instance ToJSON List where
  toJSON = genericToJSON listOptions
  toEncoding = genericToEncoding listOptions

instance FromJSON List where
  parseJSON = genericParseJSON listOptions

listOptions :: Options
listOptions = defaultOptions {fieldLabelModifier = key}
  where
    key field = case field of
      "listMap" -> "Map"
      _ -> field

{- | Writes modules with the types of payloads into a folder, from the file of types that `manywire shape --as haskell`
has written:

> runghc generate.hs Types.hs FOLDER

@Typed.Json@ has the instances that the lane needs besides those of aeson. @Typed.AsMap@ and @Typed.AsArray@ have
the same types with instances of "Manywire.MessagePack", as a program would write them, for records as maps and as
arrays. They differ in the type of bytes, which are base64 in JSON only, and of any value, which is the library's.

The file has a paragraph for each declaration. The lane gets types of records only, without sum types, tuples and
fields for other keys; an instance of those is an error here. Generated names are never those that the file imports,
so everything else is qualified. The methods are not inlined: GHC would derive the code of a type again in each type
that has a field of it, which takes more than twice the time for twelve types of ten fields.
-}
module Main (main) where

import Data.List (isPrefixOf, isSuffixOf, nub, stripPrefix)
import Data.Maybe (listToMaybe, mapMaybe)
import GHC.IO.Encoding (setLocaleEncoding, utf8)
import System.Directory (createDirectoryIfMissing)
import System.Environment (getArgs)
import System.Exit (die)
import System.FilePath ((</>))

main :: IO ()
main = do
  -- The files are in UTF-8 in every locale.
  setLocaleEncoding utf8
  arguments <- getArgs
  case arguments of
    [types, folder] -> do
      paragraphs <- declarations <$> readFile types
      instances <- either (die . ((types <> ": ") <>)) pure (traverse (instanceOf paragraphs) (names paragraphs))
      createDirectoryIfMissing True (folder </> "Typed")
      let write name content = writeFile (folder </> "Typed" </> name <> ".hs") (unlines content)
      write "Json" (jsonModule instances)
      write "AsMap" (messagePackModule "AsMap" paragraphs instances)
      write "AsArray" (messagePackModule "AsArray" paragraphs instances)
    _ -> die "usage: runghc generate.hs Types.hs FOLDER"

type Paragraph = [String]

-- | The paragraphs of a file after its head and its imports.
declarations :: String -> [Paragraph]
declarations = dropWhile isImport . drop 1 . dropWhile (not . any ("module " `isPrefixOf`)) . splitAtEmpty . lines
  where
    isImport = any ("import " `isPrefixOf`)
    splitAtEmpty content = case break null (dropWhile null content) of
      ([], _) -> []
      (paragraph, rest) -> paragraph : splitAtEmpty rest

-- | The names of the types that have instances.
names :: [Paragraph] -> [String]
names = mapMaybe (\paragraph -> takeWhile (/= ' ') <$> (stripPrefix "instance FromJSON " =<< listToMaybe paragraph))

-- | The form of a type.
data Instance = Instance {name :: String, form :: Form}

data Form
  = Empty -- ^ a record without fields
  | Fields String [String] -- ^ the name of the options, and the fields that are left out besides those of the options

instanceOf :: [Paragraph] -> String -> Either String Instance
instanceOf paragraphs type' = Instance type' <$> case (reader, options) of
  (_, [found]) -> Right (Fields found (nub (mapMaybe leftOut writer)))
  ([line], []) | ("-> pure " <> type') `isSuffixOf` line -> Right Empty
  _ -> Left ("the type " <> type' <> " is no record with names of fields only")
  where
    reader = body "FromJSON"
    writer = body "ToJSON"
    options = mapMaybe (stripPrefix "  parseJSON = genericParseJSON ") reader
    body class' = concat [rest | first : rest <- paragraphs, first == "instance " <> class' <> " " <> type' <> " where"]

-- | Returns the field of a line @["key" .= content | Just content <- [field record]]@.
leftOut :: String -> Maybe String
leftOut line
  | " record]]" `isSuffixOf` line = Just (takeWhile (/= ' ') (reverse (takeWhile (/= '[') (reverse line))))
  | otherwise = Nothing

jsonModule :: [Instance] -> [String]
jsonModule instances =
  [ "{-# OPTIONS_GHC -w #-}"
  , "module Typed.Json () where"
  , ""
  , "import qualified Control.DeepSeq"
  , "import qualified Data.Aeson"
  , "import qualified Lane.Plain"
  , "import qualified Typed.Types as Types"
  ]
    <> concatMap instances' instances
  where
    instances' (Instance type' form') =
      common ("Types." <> type') $ case form' of
        Empty -> "id"
        Fields "defaultOptions" _ -> "id"
        Fields options _ -> "(Data.Aeson.fieldLabelModifier Types." <> options <> ")"

-- | The instances of a type for every library.
common :: String -> String -> [String]
common type' keyOf =
  [ ""
  , "instance Control.DeepSeq.NFData " <> type'
  , ""
  , "instance Lane.Plain.ToPlain " <> type' <> " where"
  , "  {-# NOINLINE toPlain #-}"
  , "  toPlain = Lane.Plain.genericToPlain " <> keyOf
  ]

messagePackModule :: String -> [Paragraph] -> [Instance] -> [String]
messagePackModule layout paragraphs instances =
  [ "{-# LANGUAGE DeriveGeneric #-}"
  , "{-# OPTIONS_GHC -w #-}"
  , "module Typed." <> layout <> " where"
  , ""
  , "import qualified Control.DeepSeq"
  , "import qualified Data.ByteString"
  , "import Data.Int (Int16, Int32, Int64, Int8)"
  , "import Data.Map.Strict (Map)"
  , "import Data.Text (Text)"
  , "import Data.Time (UTCTime)"
  , "import Data.Word (Word16, Word32, Word64, Word8)"
  , "import GHC.Generics (Generic)"
  , "import qualified Lane.Plain"
  , "import Manywire.MessagePack (Options (fieldLabelModifier), Value)"
  , "import qualified Manywire.MessagePack as MessagePack"
  , "import qualified Manywire.MessagePack.Decoder as Decoder"
  , "import qualified Manywire.MessagePack.Encoding as Encoding"
  , ""
  , "defaultOptions :: Options"
  , "defaultOptions = MessagePack.defaultOptions {MessagePack.recordLayout = MessagePack." <> layout <> "}"
  ]
    <> concatMap (("" :) . map bytes) (filter isType paragraphs)
    <> concatMap (("" :) . options) (filter (any (" :: Options" `isSuffixOf`)) paragraphs)
    <> concatMap instances' instances
  where
    isType = any (\line -> any (`isPrefixOf` line) ["data ", "newtype ", "type "])
    bytes line = if line == "type Bytes = Text" then "type Bytes = Data.ByteString.ByteString" else line
    -- The keys that follow may contain any text.
    options paragraph = let (settings, keys) = break (== "  where") paragraph in map omitted settings <> keys
    instances' (Instance type' form') = case form' of
      Empty ->
        common type' "id"
          <> [ ""
             , "instance MessagePack.ToMessagePack " <> type' <> " where"
             , "  toMessagePack _ = Encoding." <> head' <> " 0"
             , ""
             , "instance MessagePack.FromMessagePack " <> type' <> " where"
             , "  fromMessagePack = Decoder." <> head' <> " >>= \\count -> " <> type' <> " <$ Decoder.nested (" <> skipped <> ")"
             ]
      Fields found left ->
        common type' ("(fieldLabelModifier " <> found <> ")")
          <> [ ""
             , "instance MessagePack.ToMessagePack " <> type' <> " where"
             , "  {-# NOINLINE toMessagePack #-}"
             , "  toMessagePack = MessagePack.genericToMessagePack " <> found <> omission left
             , ""
             , "instance MessagePack.FromMessagePack " <> type' <> " where"
             , "  {-# NOINLINE fromMessagePack #-}"
             , "  fromMessagePack = MessagePack.genericFromMessagePack " <> found
             ]
    omission [] = ""
    omission left = " {MessagePack.omitNothing = (`elem` " <> show left <> ")}"
    (head', skipped)
      | layout == "AsMap" = ("mapHead", "Decoder.entries count Decoder.skip Decoder.skip")
      | otherwise = ("arrayHead", "Decoder.vector count 1 Decoder.skip")

-- | Replaces the option of aeson that leaves out fields.
omitted :: String -> String
omitted line = case stripPrefix "omitNothingFields = True" line of
  Just rest -> "MessagePack.omitNothing = const True" <> rest
  Nothing | first : rest <- line -> first : omitted rest
  Nothing -> ""

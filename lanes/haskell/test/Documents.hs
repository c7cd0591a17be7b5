{-# LANGUAGE OverloadedStrings #-}

-- | Every subject reads what Manywire writes, and writes what every other subject reads.
module Documents
  ( spec
  , Document
  , name
  , documents
  , payloads
  ) where

import Control.Monad (filterM, forM, forM_, replicateM)
import Data.Aeson (Value, object, (.:), (.=))
import Data.ByteString (ByteString)
import qualified Data.ByteString as Bytes
import Data.List (sort)
import qualified Data.Map.Strict as Map
import Data.Text (Text)
import qualified Data.Text as Text
import qualified Expected
import Process
import System.Directory (doesDirectoryExist, doesFileExist, listDirectory)
import System.Environment (lookupEnv)
import System.FilePath (takeExtension, takeFileName, (<.>), (</>))
import Test.Hspec

-- | Payloads in every format: by suffix, of which @document@ is their text.
data Document = Document {name :: String, bySuffix :: Map.Map Text [ByteString]}

-- | The documents of MANYWIRE_LANE_DOCUMENTS, which Manywire has written. Without it the test is pending.
documents :: IO [Document]
documents = do
  set <- lookupEnv "MANYWIRE_LANE_DOCUMENTS"
  case set of
    Nothing -> [] <$ pendingWith "skipped: no documents (MANYWIRE_LANE_DOCUMENTS is not set)"
    Just root -> do
      folders <- map (root </>) . sort <$> listDirectory root
      found <- filterM doesDirectoryExist folders >>= traverse readDocument
      length found `shouldSatisfy` (> 0)
      pure found

readDocument :: FilePath -> IO Document
readDocument folder = do
  files <- listDirectory folder
  let count = length (filter ((== ".document") . takeExtension) files)
  contents <- forM ["document", "json", "msgpack"] $ \suffix -> do
    let paths = [folder </> show index <.> Text.unpack suffix | index <- [0 .. count - 1]]
    areThere <- and <$> traverse doesFileExist paths
    (,) suffix <$> if areThere then traverse Bytes.readFile paths else pure []
  pure (Document (takeFileName folder) (Map.fromList contents))

-- | The payloads in a format: none if it cannot represent all of them.
payloads :: Document -> Text -> [ByteString]
payloads document suffix = Map.findWithDefault [] suffix (bySuffix document)

spec :: Spec
spec = do
  it "are read and written by every subject" $ do
    found <- documents
    forM_ found $ \document -> withLane $ \lane -> do
      subjects <- dynamicSubjects lane
      let expected = map Expected.digest (payloads document "document")
      expected `shouldSatisfy` (not . null)
      forM_ subjects $ \(subject, format) -> do
        let given = payloads document format
        length given `shouldBe` length expected
        digests lane subject given `shouldReturn` expected
        written <- encoded lane subject
        digests lane subject written `shouldReturn` expected

  it "take time and allocations in proportion to the work" $ do
    found <- documents
    forM_ (filter ((== "user") . name) found) $ \document -> withLane $ \lane -> do
      subjects <- dynamicSubjects lane
      forM_ subjects $ \(subject, format) -> do
        let given = payloads document format
        _ <- get pure lane (load subject (length given)) given
        forM_ ["encode", "decode"] $ \operation -> forM_ [Nothing, Just "gzip", Just "gzip:1"] $ \coding -> do
          let run repeats =
                object
                  [ "verb" .= ("run" :: Text)
                  , "subject" .= subject
                  , "operation" .= (operation :: Text)
                  , "coding" .= (coding :: Maybe Text)
                  , "window" .= [0 :: Int]
                  , "repeats" .= (repeats :: Int)
                  ]
          -- A busy machine delays some batches, but not all of them.
          few <- minimum <$> replicateM 10 (get (.: "wall_ns") lane (run 50) [])
          (many, cpu, collections, compiled) <-
            get (\ok -> (,,,) <$> ok .: "wall_ns" <*> ok .: "cpu_ns" <*> ok .: "collections" <*> ok .: "compiled_ms") lane (run 5000) []
          few `shouldSatisfy` (> (0 :: Int))
          many `shouldSatisfy` (> 20 * few)
          cpu `shouldSatisfy` (> (0 :: Int))
          collections `shouldSatisfy` (> (0 :: Int))
          compiled `shouldBe` (Nothing :: Maybe Double)
        forM_ ["encode", "decode"] $ \operation -> do
          (allocs, bytes, peak) <-
            get (\ok -> (,,) <$> ok .: "allocs" <*> ok .: "alloc_bytes" <*> ok .: "peak_bytes") lane (memory subject operation) []
          (allocs, peak) `shouldBe` (Nothing :: Maybe Double, Nothing :: Maybe Double)
          bytes `shouldSatisfy` (> (200 :: Double))
  where
    memory :: Int -> Text -> Value
    memory subject operation = object ["verb" .= ("memory" :: Text), "subject" .= subject, "operation" .= operation]
    digests :: Lane -> Int -> [ByteString] -> IO [Text]
    digests lane subject given = do
      _ <- get pure lane (load subject (length given)) given
      get (.: "digests") lane (object ["verb" .= ("digest" :: Text), "subject" .= subject]) []

{-# LANGUAGE OverloadedStrings #-}

-- | The protocol: an invalid request gets an error response, and the lane continues. After an invalid frame,
-- the lane exits with a message and a status other than 0.
module Protocol (spec) where

import Control.Monad (forM_)
import Data.Aeson (Value, object, (.:), (.=))
import Data.Aeson.Types (Pair)
import qualified Data.ByteString as Bytes
import qualified Data.ByteString.Char8 as Char8
import Data.List (isInfixOf, isPrefixOf, stripPrefix)
import Data.Maybe (mapMaybe)
import Data.Text (Text)
import qualified Data.Text as Text
import Process
import System.Exit (ExitCode (..))
import Test.Hspec

spec :: Spec
spec = do
  it "describes the subjects of lane.toml" $ do
    manifest <- lines <$> readFile "lane.toml"
    let listed key = mapMaybe (stripPrefix (key <> " = ")) manifest
        products = zip3 (map read (listed "library")) (map read (listed "formats")) (map read (listed "targets"))
        expected = [(library, format, target) | (library, formats, targets) <- products, format <- formats, target <- targets] :: [(Text, Text, Text)]
    withLane $ \lane -> do
      described <- zip3 <$> subjectMembers lane "library" <*> subjectMembers lane "format" <*> subjectMembers lane "target"
      described `shouldMatchList` expected
      versions <- subjectMembers lane "version"
      forM_ versions (`shouldSatisfy` (\version -> Text.length version >= 5 && Text.all (`elem` ("0123456789." :: String)) version))

  it "continues after an invalid request" $ withLane $ \lane -> do
    forM_
      [ (verb "dance" [], "unknown verb \"dance\"")
      , (object [], "unknown verb")
      , (object ["verb" .= (1 :: Int)], "expected String")
      , (verb "digest" ["subject" .= (999 :: Int)], "subject 999 has no payloads")
      , (verb "digest" ["subject" .= (-1 :: Int)], "subject -1 has no payloads")
      , (verb "digest" ["subject" .= True], "subject")
      , (verb "digest" [], "subject")
      , (run [], "no payloads")
      ]
      (refused lane)
    response <- ask lane (load 7 1) ["1"]
    errorOf response `shouldContainText` "expected a number below 5"
    _ <- get pure lane (load 0 1) ["[1]"]
    forM_
      [ (run ["operation" .= ("sing" :: Text)], "expected encode or decode")
      , (run ["window" .= [1 :: Int]], "of the 1 payloads")
      , (run ["window" .= [-1 :: Int]], "of the 1 payloads")
      , (run ["window" .= (0 :: Int)], "window")
      , (run ["repeats" .= (-1 :: Int)], "expected at least 0")
      , (run ["repeats" .= (1.5 :: Double)], "repeats")
      , (run ["coding" .= ("zstd" :: Text)], "expected gzip")
      , (run ["coding" .= ("gzip:10" :: Text)], "expected gzip")
      ]
      (refused lane)
    wall <- get (.: "wall_ns") lane (run ["repeats" .= (0 :: Int)]) []
    wall `shouldSatisfy` (>= (0 :: Int))
    ended lane "" `shouldReturn` (ExitSuccess, "", "")

  it "drops payloads when others cannot be loaded" $ withLane $ \lane -> do
    _ <- get pure lane (load 0 1) ["[1]"]
    response <- ask lane (load 0 1) ["["]
    errorOf response `shouldContainText` "not enough input"
    refused lane (verb "digest" ["subject" .= (0 :: Int)], "no payloads")

  it "ends with status 0 at the end of the input" $
    withLane (`ended` "") `shouldReturn` (ExitSuccess, "", "")

  forM_
    [ ("\0\0", "ends after 2 of the 4 bytes of a length")
    , ("\255\255\255\255", "ends after 0 of the 4294967295 bytes of a frame")
    , ("\0\0\0\9{}", "ends after 2 of the 9 bytes of a frame")
    , (frame "", "not enough input")
    , (frame "\"\255\"", "cannot continue")
    , (frame "[1]", "expected Object")
    , (frame (Bytes.replicate 1000000 0x5b), "cannot continue")
    , (frame "{\"verb\":\"load\",\"subject\":0,\"payloads\":-1}", "payloads is -1")
    , (frame "{\"verb\":\"load\",\"subject\":0,\"payloads\":1099511627776}", "payloads is")
    , (frame "{\"verb\":\"load\",\"subject\":0,\"payloads\":2}", "before the frames")
    ]
    $ \(raw, words') -> it ("ends with a message after " <> show (Char8.take 50 raw)) $ do
      (code, out, err) <- withLane (`ended` raw)
      code `shouldBe` ExitFailure 1
      out `shouldBe` ""
      err `shouldSatisfy` isInfixOf words'
      err `shouldSatisfy` isPrefixOf "cannot continue: "

verb :: Text -> [Pair] -> Value
verb name members = object (("verb" .= name) : members)

-- | A request of @run@ with other members. Of a repeated one, the last counts.
run :: [Pair] -> Value
run changes =
  verb "run" $
    ["subject" .= (0 :: Int), "operation" .= ("decode" :: Text), "window" .= [0 :: Int], "repeats" .= (1 :: Int)]
      <> changes

refused :: Lane -> (Value, Text) -> IO ()
refused lane (request, words') = do
  response <- ask lane request []
  errorOf response `shouldContainText` words'

shouldContainText :: Maybe Text -> Text -> Expectation
shouldContainText found words' = found `shouldSatisfy` maybe False (words' `Text.isInfixOf`)

{-# LANGUAGE OverloadedStrings #-}

-- | One launch of the replay: prints the figures of each form as JSON. Times are the slopes that criterion
-- computes, allocations those that weigh counts. The orchestrator computes intervals over launches.
module Main (main) where

import Criterion (benchmarkWith', nf)
import Criterion.Main.Options (defaultConfig)
import Criterion.Types (Config (..), Report (..), SampleAnalysis (..), Regression (..), Verbosity (..))
import Data.Aeson (Value, object, (.=))
import qualified Data.Aeson as Aeson
import Data.Aeson.Types (Pair)
import qualified Data.ByteString.Lazy.Char8 as Lazy
import qualified Data.Map.Strict as Map
import Data.Version (showVersion)
import Forms (Form (..), checked, forms, pickle)
import Record (example)
import Statistics.Types (Estimate (..))
import System.Info (fullCompilerVersion)
import Weigh (weighFunc)

main :: IO ()
main = do
  figures <- concat <$> mapM measure forms
  Lazy.putStrLn (Aeson.encode (object ["figures" .= figures]))

measure :: Form -> IO [Value]
measure form = do
  let size = checked form
  (allocated, _, _, _, _) <- weighFunc (pickle form) example
  report <- benchmarkWith' config (nf (pickle form) example)
  pure
    [ figure form "size" (fromIntegral size)
    , figure form "allocated" (fromIntegral allocated)
    , timed form "pickle" (slope "time" report * 1e9) (slope "cpuTime" report * 1e9)
    ]

-- | A launch takes a second a form. The bootstrap, which gives the interval within one process, is not used.
config :: Config
config = defaultConfig {timeLimit = 1, resamples = 1, verbosity = Quiet, regressions = [(["iters"], "cpuTime")]}

-- | Returns the time of an iteration by a clock, in seconds: the slope of that time against iterations.
slope :: String -> Report -> Double
slope clock report = case found of
  estimate : _ -> estPoint estimate
  [] -> error ("criterion computed no slope of " <> clock)
  where
    found =
      [ estimate
      | Regression responder slopes _ <- anRegress (reportAnalysis report)
      , responder == clock
      , Just estimate <- [Map.lookup "iters" slopes]
      ]

figure :: Form -> String -> Double -> Value
figure form what value = object (members form what value)

timed :: Form -> String -> Double -> Double -> Value
timed form what value cpu = object (("cpu" .= cpu) : members form what value)

members :: Form -> String -> Double -> [Pair]
members form what value =
  [ "name" .= (what <> " " <> name form)
  , "system" .= ("GHC " <> showVersion fullCompilerVersion <> ", " <> library form)
  , "value" .= value
  ]

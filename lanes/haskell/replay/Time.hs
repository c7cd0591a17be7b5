-- | Times by criterion, whose arguments this program takes: @--json FILE@ writes its measurements.
module Main (main) where

import Control.Monad (forM_)
import Criterion.Main (bench, bgroup, defaultMain, nf)
import Forms (Form (..), checked, forms, pickle)
import Record (example)

main :: IO ()
main = do
  forM_ forms $ \form -> putStrLn (name form <> ": " <> show (checked form) <> " bytes")
  defaultMain
    [ bgroup
        (name form)
        [ bench "pickle" (nf (pickle form) example)
        , bench "encode" (nf (encode form) example)
        , bench "decode" (nf (decode form) bytes)
        ]
    | form <- forms
    , let bytes = encode form example
    ]

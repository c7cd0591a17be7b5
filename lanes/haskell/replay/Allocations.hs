-- | Allocations by weigh, which runs each case in a process.
module Main (main) where

import Forms (Form (..), forms, pickle)
import Record (example)
import Weigh (func, mainWith)

main :: IO ()
main = mainWith (mapM_ cases forms)
  where
    cases form = do
      func (name form <> ", pickle") (pickle form) example
      func (name form <> ", encode") (encode form) example
      func (name form <> ", decode") (decode form) (encode form example)

{-# LANGUAGE OverloadedStrings #-}

-- | Serves the record at @http://127.0.0.1:PORT/record@.
module Main (main) where

import Api (application)
import Network.Wai.Handler.Warp (defaultSettings, runSettings, setHost, setPort)
import System.Environment (getArgs)
import System.Exit (die)
import Text.Read (readMaybe)

main :: IO ()
main = do
  arguments <- getArgs
  case traverse readMaybe arguments of
    Just [port] -> runSettings (setHost "127.0.0.1" (setPort port defaultSettings)) application
    _ -> die "expected one argument, the port"

-- | The tests of the lane. They run in its folder, on the program that its build has made.
module Main (main) where

import qualified Documents
import qualified Hostile
import qualified Http
import qualified MessagePack
import qualified MessagePackSuites
import qualified Protocol
import Test.Hspec
import qualified Typed
import qualified Values

main :: IO ()
main = hspec $ do
  describe "Manywire.MessagePack" $ MessagePack.spec *> MessagePackSuites.spec
  describe "protocol" Protocol.spec
  describe "values" Values.spec
  describe "hostile bytes" Hostile.spec
  describe "documents" Documents.spec
  describe "typed values" Typed.spec
  describe "HTTP" Http.spec

{-# OPTIONS_GHC -fno-full-laziness -fno-cse #-}

{- | Time, CPU time, garbage collections and allocations.

GHC may move an expression that does not depend on a loop out of it, and then a loop that decodes the same
bytes decodes them once. This module is compiled without that optimization, and an operation gets its
input where the compiler does not see both.
-}
module Lane.Meter
  ( operation
  , Batch (..)
  , run
  , allocated
  , cpuNs
  , collections
  ) where

import Control.Exception (evaluate)
import Control.Monad (replicateM_)
import Data.Int (Int64)
import Data.Word (Word64)
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Stats (gcs, getRTSStats)
import System.CPUTime (getCPUTime)
import System.Mem (getAllocationCounter)

-- | Returns the action that evaluates a function of an input, each time that it is executed.
operation :: (a -> ()) -> a -> IO ()
operation function input = evaluate (function input)
{-# NOINLINE operation #-}

data Batch = Batch {wallNs :: Word64, batchCpuNs :: Integer, batchCollections :: Int64}

-- | Executes operations in turn, and repeats that.
run :: [IO ()] -> Int -> IO Batch
run window repeats = do
  collected <- collections
  cpu <- cpuNs
  start <- getMonotonicTimeNSec
  repeated repeats
  wall <- subtract start <$> getMonotonicTimeNSec
  spent <- subtract cpu <$> cpuNs
  ended <- collections
  pure (Batch wall spent (ended - collected))
  where
    repeated :: Int -> IO ()
    repeated 0 = pure ()
    repeated left = sequence_ window *> repeated (left - 1)

-- | Returns the bytes that an operation allocates. The counter of the runtime is exact and that of this
-- thread; the operations of a mean make its own allocations negligible.
allocated :: IO () -> IO Double
allocated act = do
  act
  before <- getAllocationCounter
  replicateM_ operations act
  -- It counts down.
  after <- getAllocationCounter
  pure (fromIntegral (before - after) / fromIntegral operations)
  where
    operations = 20 :: Int

-- | The CPU time of the process in nanoseconds.
cpuNs :: IO Integer
cpuNs = (`div` 1000) <$> getCPUTime

-- | The number of garbage collections, of all generations, since the process began.
collections :: IO Int64
collections = fromIntegral . gcs <$> getRTSStats

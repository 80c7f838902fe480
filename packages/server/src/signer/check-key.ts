/**
 * Signs a challenge with a key, by the way in which it signs transactions, and recovers the address. The challenge can
 * never be mined: its nonce is the last one, and its gas does not even pay for its own bytes.
 */
import { randomBytes } from 'node:crypto'
import { parseTransaction } from 'viem'
import type { Address } from '../core/hex.ts'
import type { Clock } from '../ports/clock.ts'
import type { KeyCheck } from '../ports/key-source.ts'
import { KeyStoreAway, type Signer, type UnsignedTransaction } from '../ports/signer.ts'
import { findDifference } from './find-difference.ts'

const TOO_LITTLE_GAS = 21_000n

export async function checkKey(
  signer: Pick<Signer, 'sign'>,
  address: Address,
  chainId: number,
  clock: Pick<Clock, 'monotonic'>,
): Promise<KeyCheck> {
  const challenge: UnsignedTransaction = {
    chainId,
    nonce: Number.MAX_SAFE_INTEGER,
    to: address,
    data: `0x${randomBytes(32).toString('hex')}`,
    value: 0n,
    gasLimit: TOO_LITTLE_GAS,
    fees: { type: 'eip1559', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
  }
  const startedAt = clock.monotonic()
  try {
    const { raw } = await signer.sign(address, challenge)
    const difference = await findDifference(raw, parseTransaction(raw), challenge, address)
    if (difference !== null) return { type: 'failed', message: `what was signed differs: ${difference}` }
    return { type: 'verified', tookMs: Math.round(clock.monotonic() - startedAt) }
  } catch (error) {
    return { type: 'failed', message: error instanceof KeyStoreAway ? error.message : 'signing failed; see the log' }
  }
}

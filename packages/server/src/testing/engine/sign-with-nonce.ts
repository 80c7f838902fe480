/** Signs a small transfer with a nonce, as the holder of a reservation does. */
import type { SignedTransaction } from '../../ports/signer.ts'
import type { TestCluster } from './test-cluster.ts'

const GWEI = 10n ** 9n

export async function signWithNonce(
  { signer, lane }: Pick<TestCluster, 'signer' | 'lane'>,
  nonce: number,
  value = 0n,
): Promise<SignedTransaction> {
  return await signer.sign(lane.signer, {
    chainId: lane.chainId,
    nonce,
    to: lane.signer,
    data: '0x',
    value,
    gasLimit: 21_000n,
    fees: { type: 'eip1559', maxFeePerGas: 50n * GWEI, maxPriorityFeePerGas: 9n * GWEI },
  })
}

/** Makes a chain on which the simplest transfer needs more gas than elsewhere, as on some rollups: less is refused for good. */
import type { TestCluster } from './test-cluster.ts'

export function makeTransfersDear({ signer, chain }: TestCluster, leastGas: bigint): void {
  const gasOf = new Map<string, bigint>()
  const { sign } = signer
  const { broadcast } = chain
  Object.assign(signer, {
    sign: async (...[address, unsigned]: Parameters<typeof sign>) => {
      const signed = await sign(address, unsigned)
      gasOf.set(signed.hash, unsigned.gasLimit)
      return signed
    },
  })
  Object.assign(chain, {
    broadcast: async (raws: Parameters<typeof broadcast>[0]) => {
      const outcomes = [...(await broadcast(raws.filter(({ hash }) => (gasOf.get(hash) ?? 0n) >= leastGas)))]
      return raws.map(({ hash }) =>
        (gasOf.get(hash) ?? 0n) >= leastGas
          ? (outcomes.shift() ?? { type: 'ambiguous', message: '' })
          : { type: 'invalid', reason: 'gas_too_low', message: 'intrinsic gas too low' },
      )
    },
  })
}

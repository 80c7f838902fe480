/** The blocks on top of an inclusion, each on its parent, read from the chain if they are outside the header window. */
import type { ChainView, Confirmation, Finality } from '../../core/chain/finality.ts'
import type { Chain, HeadRef } from '../../ports/chain.ts'

/** As many as the rule counts; null if the chain changed meanwhile. */
export async function readConfirmations(
  chain: Pick<Chain, 'getBlock'>,
  at: HeadRef,
  { view, finality }: { readonly view: ChainView; readonly finality: Finality },
): Promise<readonly Confirmation[] | null> {
  const count = finality.type === 'confirmations' ? finality.count : 0
  const confirmations: Confirmation[] = []
  for (let blockNumber = at.number + 1; blockNumber <= at.number + count; blockNumber++) {
    const block = view.header(blockNumber) ?? (await chain.getBlock(blockNumber))
    if (block === null || block.parentHash !== (confirmations.at(-1)?.blockHash ?? at.hash)) return null
    confirmations.push({ blockNumber, blockHash: block.hash })
  }
  return confirmations
}

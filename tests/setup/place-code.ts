/** Puts code at an address of a chain that makes blocks by itself, and waits until the service follows a block that has it. */
import type { TestChain } from './anvil.ts'
import type { DroverProcess } from './drover-process.ts'
import { eventually } from './eventually.ts'

interface FollowedChain {
  readonly chain: TestChain
  readonly drover: DroverProcess
}

interface Chains {
  readonly items: readonly { readonly head: { readonly number: number } | null }[]
}

export async function placeCode({ chain, drover }: FollowedChain, address: string, code: string): Promise<void> {
  await chain.setCode(address, code)
  const height = await chain.blockNumber()
  const readHead = async () => ((await drover.get('/v1/chains')).body as Chains).items[0]?.head?.number ?? 0
  // Calls are simulated at the followed block, which must already contain the code.
  await eventually(readHead, (head) => head > height)
}

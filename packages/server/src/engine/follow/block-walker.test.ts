import { describe, expect, test } from 'vitest'
import { type Block, ChainUnavailable } from '../../ports/chain.ts'
import { createFakeChain } from '../../testing/chain/fake-chain.ts'
import { createBlockWalker } from './block-walker.ts'

async function setUp(blocks: number) {
  const chain = createFakeChain({ chainId: 1 })
  for (let count = 0; count < blocks; count++) chain.mine()
  const known = new Set([(await chain.getBlock(0))?.hash])
  const walker = createBlockWalker(chain, 100)
  const latest = async (): Promise<Block> => (await chain.getBlock('latest')) as Block
  const walk = async () =>
    walker.walkBack(await latest(), { isKnown: (hash) => known.has(hash), isEnough: (count) => count >= 100 })
  return { chain, walker, walk, known }
}

/** So many reads pass between two that are refused. */
function refuseEvery(count: number) {
  let reads = 0
  return ({ name }: { name: string }) => {
    if (name !== 'getBlock' && name !== 'getBlocks') return null
    return ++reads % count === 0 ? 'rate_limited' : null
  }
}

describe('a walk back', () => {
  test('meets the known block, lowest first, and asks for many at a time', async () => {
    const { chain, walk, known } = await setUp(40)
    let requests = 0
    chain.setFault(({ name }) => {
      if (name === 'getBlock' || name === 'getBlocks') requests++
      return null
    })
    const { root, blocks } = await walk()
    expect(root).toBe([...known][0])
    expect(blocks.map(({ number }) => number)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
    expect(requests).toBeLessThan(10)
  })

  test('ends where it is enough, without a root', async () => {
    const { chain, walker } = await setUp(10)
    const head = (await chain.getBlock('latest')) as Block
    const { root, blocks } = await walker.walkBack(head, { isKnown: () => false, isEnough: (count) => count >= 4 })
    expect(root).toBeNull()
    expect(blocks.map(({ number }) => number)).toEqual([7, 8, 9, 10])
  })

  test('continues from what it had if every second read is refused while the chain grows', async () => {
    const { chain, walk } = await setUp(60)
    chain.setFault(refuseEvery(2))
    let found: Awaited<ReturnType<typeof walk>> | null = null
    for (let look = 0; look < 30 && found === null; look++) {
      found = await walk().catch((error: unknown) => {
        expect(error).toBeInstanceOf(ChainUnavailable)
        return null
      })
      if (found === null) chain.mine()
    }
    const head = found?.blocks.at(-1)?.number ?? 0
    expect(found?.blocks.map(({ number }) => number)).toEqual(Array.from({ length: head }, (_, index) => index + 1))
  })

  test('blocks that left the chain between two looks are not part of it', async () => {
    const { chain, walk } = await setUp(30)
    chain.setFault(refuseEvery(3))
    await expect(walk()).rejects.toThrow(ChainUnavailable)
    chain.setFault(null)
    chain.reorg(20, { length: 21 })
    const { blocks } = await walk()
    for (const block of blocks) expect(await chain.getBlock(block.number)).toEqual(block)
  })
})

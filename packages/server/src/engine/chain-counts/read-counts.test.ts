import { describe, expect, test } from 'vitest'
import { ChainUnavailable } from '../../ports/chain.ts'
import { type CountsToRead, readCounts } from './read-counts.ts'

const SIGNER = '0x00000000000000000000000000000000000000aa'
const ALL: CountsToRead = { head: 20, mustHaveHead: false, latest: true, finalHeight: 10 }

function counts(answers: Readonly<Record<string | number, number>>) {
  const asked: (string | number)[] = []
  return {
    asked,
    getTransactionCount: async (_signer: string, at: string | number) => {
      asked.push(at)
      const answer = answers[at]
      if (answer === undefined) throw new ChainUnavailable('no node has the state')
      return answer
    },
  }
}

describe('the counts of an account', () => {
  test('are never below the count at the head: a lagging node calls an old block latest', async () => {
    const lagging = counts({ latest: 3, pending: 3, 20: 7, 10: 2 })
    expect(await readCounts(lagging, SIGNER, ALL)).toEqual({ latest: 7, pending: 7, final: 2 })
  })

  test('go by what the nodes call latest where no node has the head', async () => {
    const pruned = counts({ latest: 3, pending: 4 })
    expect(await readCounts(pruned, SIGNER, ALL)).toEqual({ latest: 3, pending: 4, final: null })
  })

  test('fail where no node has the head and an older count would do harm', async () => {
    const behind = counts({ latest: 3, pending: 4, 10: 1 })
    await expect(readCounts(behind, SIGNER, { ...ALL, mustHaveHead: true })).rejects.toThrow(ChainUnavailable)
  })

  test('cost one call where only the next nonce is needed', async () => {
    const chain = counts({ pending: 4 })
    const wanted = { head: null, mustHaveHead: false, latest: false, finalHeight: null }
    expect(await readCounts(chain, SIGNER, wanted)).toEqual({ latest: 0, pending: 4, final: null })
    expect(chain.asked).toEqual(['pending'])
  })
})

/** Web3Signer on the wire: `eth_accounts` and `eth_signTransaction`, behind TLS with client certificates. It can lie. */
import { privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../../core/hex.ts'
import { type FakeReply, type FakeService, startFakeService } from './fake-service.ts'

export interface FakeRemoteSigner extends FakeService {
  /** Changes each transaction before it is signed, or the answer; null: honest again. */
  lie(change: ((request: Record<string, unknown>) => unknown) | null): void
}

export async function startFakeRemoteSigner(
  privateKeys: readonly Hex[],
  { isSecure = true }: { readonly isSecure?: boolean } = {},
): Promise<FakeRemoteSigner> {
  const accounts = privateKeys.map((key) => privateKeyToAccount(key))
  let change: ((request: Record<string, unknown>) => unknown) | null = null

  const service = await startFakeService(
    async ({ body }) => {
      const { id, method, params } = JSON.parse(body) as {
        id: number
        method: string
        params: [Record<string, unknown>]
      }
      if (method === 'eth_accounts')
        return answer(
          id,
          accounts.map(({ address }) => address),
        )
      const changed = change?.(params[0]) ?? params[0]
      if (typeof changed === 'string') return answer(id, changed)
      const request = changed as Record<string, unknown>
      const account = accounts.find(({ address }) => address.toLowerCase() === request.from)
      if (method !== 'eth_signTransaction' || account === undefined) return refuse(id)
      const number = (name: string) => (request[name] === undefined ? undefined : BigInt(String(request[name])))
      const type = request.gasPrice === undefined ? 'eip1559' : request.accessList === undefined ? 'legacy' : 'eip2930'
      const raw = await account.signTransaction({
        type,
        chainId: Number(number('chainId')),
        nonce: Number(number('nonce')),
        to: request.to,
        data: request.data,
        value: number('value'),
        gas: number('gas'),
        gasPrice: number('gasPrice'),
        maxFeePerGas: number('maxFeePerGas'),
        maxPriorityFeePerGas: number('maxPriorityFeePerGas'),
        accessList: request.accessList,
      } as never)
      return answer(id, raw)
    },
    { isSecure },
  )
  return {
    ...service,
    lie: (next) => {
      change = next
    },
  }
}

function answer(id: number, result: unknown): FakeReply {
  return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result }) }
}

function refuse(id: number): FakeReply {
  const error = { code: -32_602, message: 'the password is geheim' }
  return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, error }) }
}

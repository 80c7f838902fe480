/**
 * A signer behind JSON-RPC: Web3Signer, Clef, or anything else that has `eth_accounts` and `eth_signTransaction`, over
 * TLS with a client certificate. It is not trusted: what it returns is compared with what was asked, field by field,
 * and the sender is recovered, before the bytes are used.
 */
import { inspect } from 'node:util'
import { parseTransaction } from 'viem'
import { type Address, type Hex, isHex, toAddress } from '../../core/hex.ts'
import type { KeySource } from '../../ports/key-source.ts'
import { KeyStoreAway, type UnsignedTransaction } from '../../ports/signer.ts'
import { findDifference } from '../find-difference.ts'
import { createHttpCaller, parseReply, type TlsFiles } from '../http-call.ts'
import type { Keccak } from '../keccak.ts'

const MAX_ACCOUNTS = 10_000

export function openRemoteSigner(address: string, tls: TlsFiles, keccak: Keccak): KeySource {
  const url = new URL(address)
  const { host } = url
  const http = createHttpCaller(tls)
  const authorization =
    url.username === ''
      ? null
      : `Basic ${Buffer.from(decodeURIComponent(`${url.username}:${url.password}`)).toString('base64')}`
  url.username = ''
  url.password = ''
  let known: readonly Address[] = []
  let tell = (): void => {}
  let lastId = 0

  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const { status, body } = await http.call({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...(authorization !== null && { authorization }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params }),
    })
    const reply = parseReply(body)
    if (status !== 200) throw new KeyStoreAway(`${host} answers ${method} with status ${status}`)
    if (reply.error !== undefined && reply.error !== null)
      throw new KeyStoreAway(`${host} refuses ${method} (code ${String(codeOf(reply.error))})`, {
        isOneKey: method === 'eth_signTransaction',
      })
    return reply.result
  }

  async function look(): Promise<void> {
    const answer = await ask('eth_accounts', [])
    const accounts = Array.isArray(answer) ? answer.map(readAccount) : [null]
    if (accounts.length > MAX_ACCOUNTS || accounts.includes(null))
      throw new KeyStoreAway(`${host} did not answer eth_accounts with a list of addresses`)
    const found = [...new Set(accounts.filter((account) => account !== null))]
    if (found.join() === known.join()) return
    known = found
    tell()
  }

  async function sign(from: Address, transaction: UnsignedTransaction) {
    if (!known.includes(from)) throw new Error(`no key for ${from}`)
    const raw = readRaw(await ask('eth_signTransaction', [toRequest(from, transaction)]))
    const difference = raw === null ? 'everything' : await compare(raw, transaction, from)
    if (raw === null || difference !== null)
      throw new KeyStoreAway(
        `${host} signed something else than it was asked to (${difference} differs); it was not used`,
        { isOneKey: true },
      )
    return { raw, hash: keccak.hashToHex(Buffer.from(raw.slice(2), 'hex')) }
  }

  const shown = () => ({ type: 'remote', place: host, addresses: known })
  return Object.assign<KeySource, object>(
    {
      type: 'remote',
      place: host,
      isInMemory: false,
      addresses: () => known,
      sign,
      look,
      onChange: (listener) => {
        tell = listener
      },
      close: async () => http.close(),
    },
    { toJSON: shown, [inspect.custom]: shown },
  )
}

async function compare(raw: Hex, asked: UnsignedTransaction, from: Address): Promise<string | null> {
  try {
    return await findDifference(raw, parseTransaction(raw), asked, from)
  } catch {
    return 'the encoding'
  }
}

function toRequest(from: Address, { fees, accessList, to, ...rest }: UnsignedTransaction): object {
  const number = (value: number | bigint) => `0x${value.toString(16)}`
  return {
    from,
    ...(to !== null && { to }),
    gas: number(rest.gasLimit),
    ...(fees.type === 'eip1559'
      ? { maxFeePerGas: number(fees.maxFeePerGas), maxPriorityFeePerGas: number(fees.maxPriorityFeePerGas) }
      : { gasPrice: number(fees.gasPrice) }),
    ...(accessList !== undefined && { accessList }),
    value: number(rest.value),
    data: rest.data,
    nonce: number(rest.nonce),
    chainId: number(rest.chainId),
  }
}

/** Web3Signer answers with the bytes, geth and Clef with an object around them. */
function readRaw(answer: unknown): Hex | null {
  const raw = typeof answer === 'object' && answer !== null && 'raw' in answer ? answer.raw : answer
  const text = typeof raw === 'string' ? raw.toLowerCase() : ''
  return isHex(text) && text.length > 2 ? text : null
}

function readAccount(account: unknown): Address | null {
  try {
    return toAddress(String(account))
  } catch {
    return null
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : 'unknown'
}

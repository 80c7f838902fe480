/** Signs with keys held in this process. For tests, trials and small set-ups: the keys live as long as the process does. */
import { inspect } from 'node:util'
import { keccak256 } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { type Address, type Hex, toAddress } from '../core/hex.ts'
import type { Signer, UnsignedTransaction } from '../ports/signer.ts'

const KEY = /^0x[0-9a-fA-F]{64}$/

/** Signatures are deterministic (RFC 6979): the same transaction always gives the same bytes and hash. */
export function createLocalSigner(keys: readonly Hex[]): Signer {
  const accounts = new Map<Address, PrivateKeyAccount>()
  for (const [index, key] of keys.entries()) {
    const account = openKey(key, index, keys.length)
    accounts.set(toAddress(account.address), account)
  }
  const addresses: readonly Address[] = [...accounts.keys()]
  const shown = { addresses }

  return Object.assign<Signer, object>(
    {
      addresses: () => addresses,
      async sign(address, transaction) {
        const account = accounts.get(address)
        if (account === undefined) throw new Error(`no key for ${address}`)
        const raw = await account.signTransaction(toViemTransaction(transaction))
        return { raw, hash: keccak256(raw) }
      },
    },
    { toJSON: () => shown, [inspect.custom]: () => shown },
  )
}

/** Names the position, never the key; the library's own error may quote it and is not passed on. */
function openKey(key: Hex, index: number, count: number): PrivateKeyAccount {
  const problem = `signer key ${index + 1} of ${count} is not a private key: 0x and 64 hex digits are expected`
  if (!KEY.test(key)) throw new Error(problem)
  try {
    return privateKeyToAccount(key)
  } catch {
    throw new Error(problem)
  }
}

function toViemTransaction({ gasLimit: gas, fees, accessList, ...rest }: UnsignedTransaction) {
  const shared = { ...rest, gas }
  if (fees.type === 'eip1559') {
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    const list = accessList === undefined ? {} : { accessList }
    return { ...shared, ...list, type: 'eip1559' as const, maxFeePerGas, maxPriorityFeePerGas }
  }
  const { gasPrice } = fees
  return accessList === undefined
    ? { ...shared, type: 'legacy' as const, gasPrice }
    : { ...shared, type: 'eip2930' as const, gasPrice, accessList }
}

/** Compiles the contracts of `examples/contracts` with the compiler from npm. */
import { readdirSync, readFileSync } from 'node:fs'
import solc from 'solc'
import { type Abi, encodeDeployData, type Hex } from 'viem'
import type { TestChain } from './anvil.ts'

const FOLDER = new URL('../../examples/contracts/', import.meta.url)

export interface CompiledContract {
  readonly abi: Abi
  readonly bytecode: Hex
}

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly abi: Abi; readonly evm: { readonly bytecode: { object: string } } }>>
    >
  >
}

/** By name. Anything that the compiler says is an error, warnings too. */
export function compileExamples(): ReadonlyMap<string, CompiledContract> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.sol'))
  const sources = Object.fromEntries(
    names.map((name) => [name, { content: readFileSync(new URL(name, FOLDER), 'utf8') }]),
  )
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode.object'] } }
  const settings = { optimizer: { enabled: true }, evmVersion: 'paris', outputSelection }
  const output: Output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })))
  const [fault] = output.errors ?? []
  if (fault !== undefined) throw new Error(fault.formattedMessage)
  return new Map(
    Object.values(output.contracts)
      .flatMap((file) => Object.entries(file))
      .map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` as const }]),
  )
}

/** Mines a block that deploys it. */
export async function deploy(
  chain: TestChain,
  from: string,
  { abi, bytecode }: CompiledContract,
  args: readonly unknown[] = [],
): Promise<Hex> {
  const data = encodeDeployData({ abi, bytecode, args })
  const hash = await chain.rpc<Hex>('eth_sendTransaction', [{ from, data, gas: '0x200000' }])
  await chain.mine(1)
  const receipt = await chain.rpc<{ contractAddress: Hex; status: Hex } | null>('eth_getTransactionReceipt', [hash])
  if (receipt?.status !== '0x1') throw new Error('the contract was not deployed')
  return receipt.contractAddress
}

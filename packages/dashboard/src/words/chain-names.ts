/** Names and coins of the chains that people run most. Others are called by their number. */
interface KnownChain {
  readonly name: string
  readonly symbol: string
}

const KNOWN: ReadonlyMap<number, KnownChain> = new Map([
  [1, { name: 'Ethereum', symbol: 'ETH' }],
  [10, { name: 'OP Mainnet', symbol: 'ETH' }],
  [56, { name: 'BNB Chain', symbol: 'BNB' }],
  [100, { name: 'Gnosis', symbol: 'xDAI' }],
  [137, { name: 'Polygon', symbol: 'POL' }],
  [8453, { name: 'Base', symbol: 'ETH' }],
  [31337, { name: 'Local chain', symbol: 'ETH' }],
  [42161, { name: 'Arbitrum One', symbol: 'ETH' }],
  [43114, { name: 'Avalanche', symbol: 'AVAX' }],
  [84532, { name: 'Base Sepolia', symbol: 'ETH' }],
  [11155111, { name: 'Sepolia', symbol: 'ETH' }],
])

export function nameChain(chainId: number): string {
  return KNOWN.get(chainId)?.name ?? `Chain ${chainId}`
}

/** "ether" is the name of the unit, 10^18 wei, whatever the coin of an unknown chain is called. */
export function coinOf(chainId: number): string {
  return KNOWN.get(chainId)?.symbol ?? 'ether'
}

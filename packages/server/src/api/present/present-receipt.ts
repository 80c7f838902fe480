/** An inclusion as the receipt that callers know. */
import type { Inclusion } from '../../core/chain/finality.ts'
import type { ReceiptResource } from '../contract/resources/receipt-resource.ts'
import { checksumAddress } from '../contract/values/address.ts'

export function presentReceipt(inclusion: Inclusion): ReceiptResource {
  const { txHash, txIndex, blockNumber, blockHash, gasUsed, effectiveGasPrice, contractAddress } = inclusion
  return {
    transactionHash: txHash,
    transactionIndex: txIndex,
    blockNumber,
    blockHash,
    status: inclusion.succeeded ? 'success' : 'reverted',
    gasUsed: gasUsed.toString(),
    effectiveGasPrice: effectiveGasPrice.toString(),
    fee: (gasUsed * effectiveGasPrice).toString(),
    contractAddress: contractAddress === null ? null : checksumAddress(contractAddress),
  }
}

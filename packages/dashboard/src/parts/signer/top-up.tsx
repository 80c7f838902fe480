/** Where to send funds: the address as text and as a QR code. */
import { nameChain } from '../../words/chain-names.ts'
import { Copyable } from '../copyable.tsx'
import { QrCode } from './qr-code.tsx'

export function TopUp({ address, chainId }: { readonly address: string; readonly chainId: number }) {
  return (
    <div class="top-up">
      <QrCode text={`ethereum:${address}@${chainId}`} label={`QR code of ${address} on ${nameChain(chainId)}`} />
      <div>
        <p>
          Send to this address on <strong>{nameChain(chainId)}</strong> (chain {chainId}). Drover goes on with the next
          block.
        </p>
        <Copyable text={address} shown={address} what="address" />
      </div>
    </div>
  )
}

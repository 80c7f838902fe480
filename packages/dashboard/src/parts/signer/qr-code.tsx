/** An address as a QR code, for a wallet on a phone. */
import { useEffect, useState } from 'preact/hooks'

interface QrCodeProps {
  readonly text: string
  /** For those who cannot see it. */
  readonly label: string
}

export function QrCode({ text, label }: QrCodeProps) {
  const [cells, setCells] = useState<readonly (readonly boolean[])[]>([])
  useEffect(() => {
    let isGone = false
    // Loaded apart: it is looked at rarely.
    void import('uqr').then(({ encode }) => {
      if (!isGone) setCells(encode(text, { ecc: 'M', border: 2 }).data)
    })
    return () => {
      isGone = true
    }
  }, [text])
  const path = cells.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : []))).join('')
  return (
    <svg class="qr" viewBox={`0 0 ${cells.length} ${cells.length}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  )
}

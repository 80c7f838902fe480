/** A sign for each page, drawn in one line. */
const PATHS: Readonly<Record<string, string>> = {
  Overview: 'M2.5 13.5h11M4 11V8m4 3V3.5M12 11V6',
  Transactions: 'M2.5 5h9m0 0L9 2.5M11.5 5 9 7.5M13.5 11h-9m0 0L7 8.5M4.5 11 7 13.5',
  Signers: 'M10 6a2.5 2.5 0 1 0-2.3 2.5L3 13.2V14h2.2v-1.6h1.6v-1.6h1.3L9 9.9',
  Timers: 'M8 4.5V8l2.3 1.5M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11Z',
  Webhooks: 'M5.5 11.5a2 2 0 1 1-2.3-2M8 4a2 2 0 1 0-1 3.4L5.2 11.5M8.4 5.2l2.2 4M12 9.5a2 2 0 1 1-1.7 3H5.5',
  Access: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  Cluster: 'M2.5 3h11v3.5h-11zM2.5 9.5h11V13h-11zM5 4.75h.1M5 11.25h.1',
  Docs: 'M3.5 2.5h6l3 3v8h-9zM9.5 2.5v3h3M5.5 8.5h5m-5 2.5h5',
}

export function PageIcon({ name }: { readonly name: string }) {
  return (
    <svg class="icon page-icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name] ?? ''} />
    </svg>
  )
}

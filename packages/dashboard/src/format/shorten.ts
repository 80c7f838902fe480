/** Long names cut in the middle, where they are told apart by both ends. */
const ELLIPSIS = '…'

/** 0x90F79bf6…93b906: enough of both ends that a look-alike is hard to make. */
export function shortenAddress(address: string): string {
  return cutMiddle(address, 6, 4)
}

export function shortenHash(hash: string): string {
  return cutMiddle(hash, 8, 6)
}

/** The end of an id is random; its beginning is mostly time. */
export function shortenId(id: string): string {
  return id.length <= 10 ? id : `${ELLIPSIS}${id.slice(-8)}`
}

function cutMiddle(text: string, head: number, tail: number): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}${ELLIPSIS}${text.slice(-tail)}`
}

/** A contract for tests that only reverts. */

/** Code that reverts with this text, at most 32 letters, whatever it is called with. */
export function formRevertingCode(reason: string): string {
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const text = Buffer.from(reason).toString('hex').padEnd(64, '0')
  // codecopy(0, 12, 100); revert(0, 100)
  return `0x6064600c60003960646000fd08c379a0${word(32)}${word(reason.length)}${text}`
}

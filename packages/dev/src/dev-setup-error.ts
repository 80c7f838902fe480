/** Something about this machine or these options that the developer can put right; the message says how. */
export class DevSetupError extends Error {
  override readonly name = 'DevSetupError'
}

/** For programs that use viem: a transport and an account. */
export { type DroverTransportOptions, drover } from './drover-transport.ts'
export { type DroverAccount, toDroverAccount } from './to-drover-account.ts'

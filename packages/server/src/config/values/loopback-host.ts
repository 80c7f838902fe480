/** Addresses to listen on that only this machine can reach. */
export const LOOPBACK_HOST: RegExp = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/

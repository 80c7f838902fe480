/** What to do about a database that cannot be used, by what the server or the driver said. */

const ADVICE: readonly (readonly [RegExp, (variable: string) => string])[] = [
  [/no encryption/i, (variable) => `the server asks for TLS: add ?sslmode=verify-full to ${variable}`],
  [
    /does not support SSL/i,
    (variable) =>
      `turn on TLS in PostgreSQL (ssl = on), or take sslmode out of ${variable} if the network is yours alone`,
  ],
  [
    /unable to (?:verify the first|get (?:local )?issuer) certificate|self-signed certificate/i,
    (variable) => `its authority is not a public one: add &sslrootcert=<path of its certificate> to ${variable}`,
  ],
  [/does not match certificate/i, (variable) => `use the host name that the certificate is for in ${variable}`],
]

export function adviseConnection(said: string, variable: string): string {
  const found = ADVICE.find(([pattern]) => pattern.test(said))
  return found?.[1](variable) ?? `start it, or fix ${variable}`
}

/** The published test suite of Signature Version 4. */
import { expect, test } from 'vitest'
import { signAwsRequest } from './sign-aws-request.ts'

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
}
const scope = { region: 'us-east-1', service: 'service', now: new Date('2015-08-30T12:36:00Z') }

test.each([
  ['get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-vanilla-query-order-key-case',
    'GET',
    '/?Param2=value2&Param1=value1',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  ['post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
])('%s', (_, method, path, signature) => {
  const url = new URL(path, 'https://example.amazonaws.com')
  const { authorization } = signAwsRequest({ method, url, headers: {}, body: '' }, credentials, scope)
  expect(authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  )
})

test('a session token is signed too', () => {
  const request = { method: 'GET', url: new URL('https://example.amazonaws.com/'), headers: {}, body: '' }
  const headers = signAwsRequest(request, { ...credentials, sessionToken: 'token' }, scope)
  expect(headers['x-amz-security-token']).toBe('token')
  expect(headers.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,')
})

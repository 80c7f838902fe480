/** AWS KMS on the wire: checks the signature of each request, and signs with real keys. */
import type { Hex } from '../../core/hex.ts'
import { type AwsCredentials, signAwsRequest } from '../../signer/kms/sign-aws-request.ts'
import { publicKeyOf, signDigest } from './fake-curve-key.ts'
import { type FakeReply, type FakeService, startFakeService } from './fake-service.ts'

export const AWS_REGION = 'eu-test-1'

export async function startFakeAwsKms(
  keys: Readonly<Record<string, Hex>>,
  credentials: AwsCredentials,
): Promise<FakeService> {
  return await startFakeService(({ method, url, headers, body }) => {
    const [target, time = ''] = [String(headers['x-amz-target']), headers['x-amz-date']?.toString()]
    const now = new Date(time.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z'))
    const signed = { 'content-type': String(headers['content-type']), 'x-amz-target': target }
    const at = new URL(url.pathname, `http://${headers.host}`)
    const scope = { region: AWS_REGION, service: 'kms', now }
    const expected = signAwsRequest({ method, url: at, headers: signed, body }, credentials, scope)
    if (headers.authorization !== expected.authorization) return refuse('InvalidSignatureException')
    if (Math.abs(Date.now() - now.getTime()) > 5 * 60_000) return refuse('ExpiredTokenException')
    const input = JSON.parse(body) as Record<string, string>
    const key = keys[input.KeyId ?? '']
    if (key === undefined) return refuse('NotFoundException')
    if (target === 'TrentService.GetPublicKey')
      return answer({ KeySpec: 'ECC_SECG_P256K1', PublicKey: publicKeyOf(key).toString('base64') })
    if (target !== 'TrentService.Sign' || input.MessageType !== 'DIGEST' || input.SigningAlgorithm !== 'ECDSA_SHA_256')
      return refuse('ValidationException')
    const signature = signDigest(key, Buffer.from(input.Message ?? '', 'base64'))
    return answer({ KeyId: input.KeyId, SigningAlgorithm: 'ECDSA_SHA_256', Signature: signature.toString('base64') })
  })
}

function answer(body: object): FakeReply {
  return { status: 200, body: JSON.stringify(body) }
}

/** The real one repeats parts of the request in its messages. */
function refuse(type: string): FakeReply {
  return { status: 400, body: JSON.stringify({ __type: type, message: 'arn:aws:iam::123456789012:user/secret' }) }
}

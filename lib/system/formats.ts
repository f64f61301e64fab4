const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = `(?:${LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])`;

/** A DNS name of at least two labels in lower case, at most 253 characters: no scheme, port, path or wildcard. */
export const DOMAIN_NAME = new RegExp(`^(?=.{1,253}$)${DOMAIN}$`);

/** An e-mail address without a display name. */
export const EMAIL_ADDRESS = new RegExp(`^(?=.{1,254}$)[\\w.!#$%&'*+/=?^\`{|}~-]{1,64}@${DOMAIN}$`, 'i');

import { isDeepStrictEqual } from 'node:util';
import { type Html, html } from '../../lib/html.ts';
import type { OpenApi, Schema } from './document.ts';
import { fieldList, fieldsOf, typeOf } from './operation.ts';
import { paragraphs } from './prose.ts';

/** The named schemas. One that resembles an earlier schema links to that, and lists only the fields that differ. */
export function schemas({ components }: OpenApi): Html {
  const whole: Described[] = [];
  const sections = Object.entries(components.schemas).map(([name, schema]) => {
    const described = { name, schema, fields: fieldsOf(schema) };
    const like = likest(described, whole);
    if (!like) whole.push(described);
    return section(described, like);
  });
  return html`<section>
<h2 id="schemas">Schemas</h2>
${sections}</section>
`;
}

interface Described {
  name: string;
  schema: Schema;
  fields: ReturnType<typeof fieldsOf>;
}

/** Fewest fields that a schema shares with another to be described by it. */
const LEAST_ALIKE = 3;

/** Another schema: its name, its fields that this one has too, and the names of its others. */
interface Likeness {
  name: string;
  common: Described['fields'];
  without: readonly string[];
}

const isOptional = ({ fields }: Described): boolean => fields.every(({ required }) => !required);

function likest(one: Described, others: readonly Described[]): Likeness | undefined {
  const alike = others.map(({ name, fields }) => {
    const [common, without] = [true, false].map((isCommon) =>
      fields.filter((field) => one.fields.some((own) => isAlike(field, own, isOptional(one))) === isCommon),
    ) as [Described['fields'], Described['fields']];
    return { name, common, without: without.map((field) => field.name) };
  });
  const most = alike.sort((a, b) => b.common.length - a.common.length)[0];
  const isLike = most && most.common.length >= Math.max(LEAST_ALIKE, most.without.length);
  return isLike ? most : undefined;
}

function section(described: Described, like: Likeness | undefined): Html {
  const { name, schema, fields } = described;
  const own = fields.filter(
    (field) => !like?.common.some((one) => isAlike(one, field, isOptional(described))),
  );
  const without = like && like.without.length > 0 && `, without ${like.without.join(', ')}`;
  return html`<section>
<h3 id="schema-${name}">${name}</h3>
${paragraphs(schema.description)}${like && html`<p>As <a href="#schema-${like.name}">${like.name}</a>${without}${isOptional(described) && ', all optional'}.</p>\n`}${fields.length > 0 ? fieldList(own) : html`<p>${typeOf(schema)}</p>\n`}</section>
`;
}

/** Whether two fields are equal. @param isOptional no field of the second one's schema is required: ignores `required` */
function isAlike(
  { required, ...one }: Described['fields'][number],
  { required: isRequired, ...other }: Described['fields'][number],
  isOptional: boolean,
): boolean {
  return (isOptional || required === isRequired) && isDeepStrictEqual(one, other);
}

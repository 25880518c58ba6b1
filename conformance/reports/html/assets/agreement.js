// What chosen implementations of an operation have in common, from their outcomes and from what is unsafe for each two.

const FAILURES = "udhv"; // unsupported, died, hung, varies: never agreement

/** The cases on which all agree, those on which two do not, and what follows for each condition. */
function ported(porting, operation, chosen) {
  const pairs = operation.unsafe.filter(([one, other]) => chosen.includes(one) && chosen.includes(other));
  const leftOut = new Set(pairs.flatMap(([, , ...conditions]) => conditions));
  const all = operation.cases.map((_, at) => ({ at, agreement: agreeAll(operation, chosen, at) }));
  const [agreeing, differing] = [true, false].map((is) => all.filter((one) => one.agreement === is).map(({ at }) => at));
  const proofs = casesByCondition(agreeing, (at) => proved(porting, operation, chosen, at, leftOut));
  const against = casesByCondition(differing, (at) => contradicted(operation, pairs, at));
  const isHere = new Set(operation.profiles.flat());
  const named = porting.conditions.map((_, number) => number)
    .filter((one) => isHere.has(one) && !leftOut.has(one) && !porting.clauses.includes(one));
  const raises = (at) => letterAt(operation, chosen[0], at) === "r";
  return {
    agreeing, differing,
    safe: [...proofs].filter(([condition]) => named.includes(condition))
      .map(([condition, cases]) => ({ condition, cases, raising: cases.every(raises) })),
    unsafe: [...against].map(([condition, cases]) => ({ condition, cases })),
    unproven: named.filter((one) => !proofs.has(one)),
  };
}

function casesByCondition(cases, conditionsOf) {
  const found = new Map();
  for (const at of cases) for (const one of conditionsOf(at)) found.set(one, [...(found.get(one) ?? []), at]);
  return found;
}

/** The conditions that agreement on a case proves: none where it has something unsafe besides. */
function proved(porting, operation, chosen, at, leftOut) {
  const conditions = conditionsAt(operation, at);
  if (conditions.some((one) => leftOut.has(one))) return [];
  const isCast = chosen.some((number) => /[A-Z]/.test(operation.outcomes[number][at]));
  return conditions.filter((one) => !isCast || !porting.dtypes.includes(one)); // cast indices prove nothing of their dtype
}

/** The conditions that a case contradicts for some two: all else about it is safe for them. */
function contradicted(operation, pairs, at) {
  const found = pairs.map(([one, other, ...leftOut]) => {
    const unsafe = conditionsAt(operation, at).filter((condition) => leftOut.includes(condition));
    return unsafe.length === 1 && agreeAll(operation, [one, other], at) === false ? unsafe[0] : null;
  });
  return new Set(found.filter((one) => one !== null));
}

function conditionsAt(operation, at) {
  return operation.profiles[operation.profile[at]];
}

function letterAt(operation, number, at) {
  return operation.outcomes[number][at].toLowerCase();
}

/** Whether all did the same with a case; null where one says nothing and no two others differ. */
function agreeAll(operation, chosen, at) {
  const letters = chosen.map((number) => letterAt(operation, number, at));
  const said = letters.filter((letter) => letter !== ".");
  if (said.length > 1 && said.some((letter) => letter !== said[0] || FAILURES.includes(letter))) return false;
  return said.length === letters.length ? true : null;
}

import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { notFound } from "next/navigation";
import { ArchivedTask } from "../../_components/archive/archived-task.tsx";
import { taskId } from "../../_server/task-input.ts";
import { mustBeSignedIn } from "../../_server/page-asker.ts";

export async function generateMetadata({ params }: PageProps<"/archive/[id]">): Promise<Metadata> {
  const t = await getTranslations("archived");
  return { title: t("title", { id: (await params).id.slice(0, 20) }) };
}

/** One archived task: what it was, what happened to it, what became of it. */
export default async function ArchivedTaskPage({ params, searchParams }: PageProps<"/archive/[id]">) {
  await mustBeSignedIn();
  const id = taskId.safeParse((await params).id);
  const { archivedAt } = await searchParams;
  if (!id.success) notFound();
  return <ArchivedTask id={id.data} archivedAt={typeof archivedAt === "string" ? archivedAt : undefined} />;
}
